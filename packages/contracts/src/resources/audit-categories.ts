/** Operations of the audit log by what they are about. */
export const auditCategories = {
  songs: ['upload_song', 'delete_song', 'edit_song_lyrics', 'edit_song_meta', 'track_unplayable'],
  arts: ['artist_art_upload', 'artist_art_delete'],
  jingles: ['jingle_upload', 'jingle_delete'],
  backgroundMusic: ['background_music_upload', 'background_music_delete'],
  phrases: ['phrase_upload', 'phrase_delete'],
  queue: [
    'queue_add',
    'queue_remove',
    'queue_restore',
    'queue_move',
    'queue_skip',
    'jingle_insert',
    'jingle_cancel',
    'suggestion_accept',
    'suggestion_reject',
    'group_insert',
    'donation_queue_add',
    'donation_insert_failed',
    'donation_requeue',
    'donation_paid_back',
  ],
  mode: ['mode_switch'],
  settings: ['settings_save', 'group_create', 'group_edit', 'group_delete'],
  admins: [
    'admin_create',
    'admin_delete',
    'admin_privileges',
    'admin_activate',
    'admin_login_change',
    'admin_password_change',
    'admin_password_reset',
    'admin_session_end',
    'admin_login',
    'admin_login_failed',
    'admin_logout',
  ],
  radioHosts: [
    'radio_host_live_start',
    'radio_host_live_end',
    'guest_code_generate',
    'guest_code_regenerate',
    'guest_code_deactivate',
    'guest_live_start',
    'guest_live_end',
    'special_guest_live_start',
    'special_guest_live_end',
    'guest_kick',
    'participant_kick',
    'guest_ban',
    'guest_unban',
  ],
  operations: [
    'job_retry',
    'backup_download',
    'webhook_create',
    'webhook_edit',
    'webhook_delete',
    'webhook_switched_off',
    'alarm_begin',
    'alarm_end',
  ],
} as const satisfies Record<string, readonly string[]>

export type AuditCategory = keyof typeof auditCategories
export type AuditOperation = (typeof auditCategories)[AuditCategory][number]

/** True when an operation belongs to a category. */
export const isOfCategory = (operationType: string, category: AuditCategory): boolean =>
  (auditCategories[category] as readonly string[]).includes(operationType)
