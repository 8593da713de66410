/** Everything a helper admin may be granted, in the order in which it is offered. */
export const privileges = [
  'queue_manage',
  'artist_arts',
  'upload_songs',
  'editor_lyrics',
  'editor_meta',
  'settings_branding',
  'settings_groups',
  'settings_algorithm',
  'stats',
  'mode_switch',
  'jingles_uploader',
  'radio_host',
  'radio_moderator',
  'donations_manage',
] as const

export type Privilege = (typeof privileges)[number]
