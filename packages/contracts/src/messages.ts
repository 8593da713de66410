import type { Localized } from './localized.ts'

const text = (uk: string, en: string): Localized => ({ uk, en })

/** Confirmations for admins. */
export const messages = {
  ADMIN_CREATED: text('Помічника створено', 'The helper is created'),
  ADMIN_DELETED: text('Помічника видалено', 'The helper is deleted'),
  PRIVILEGES_SAVED: text('Права збережено', 'The privileges are saved'),
  PASSWORD_RESET: text('Тимчасовий пароль встановлено', 'The temporary password is set'),
  ACCOUNT_ACTIVATED: text('Обліковий запис активовано', 'The account is active'),
  LOGIN_CHANGED: text('Логін змінено', 'The login is changed'),
  PASSWORD_CHANGED: text('Пароль змінено', 'The password is changed'),
  SESSION_ENDED: text('Сеанс завершено', 'The session is ended'),
  SESSIONS_ENDED: text('Сеанси завершено', 'The sessions are ended'),
  ART_SAVED: text('Зображення збережено', 'The image is saved'),
  ART_DELETED: text('Зображення видалено', 'The image is deleted'),
  LYRICS_SYNCED: text('Знайдено синхронізований текст', 'Synced lyrics found'),
  LYRICS_PLAIN: text('Знайдено звичайний текст', 'Plain lyrics found'),
  LYRICS_NONE: text('Текст не знайдено', 'No lyrics found'),
  LYRICS_LOOKUP_FAILED: text(
    'Сервіс текстів не відповів; можна продовжити без тексту',
    'The lyrics service did not answer; you can go on without lyrics',
  ),
  SETTINGS_SAVED: text('Налаштування збережено', 'The settings are saved'),
  SETTINGS_UNCHANGED: text('Налаштування не змінилися', 'The settings are as they were'),
  ALGORITHM_FROM_NEXT_LIST: text(
    'Новий алгоритм діятиме з наступного списку відтворення',
    'The new algorithm applies from the next playlist',
  ),
  TRACK_ADDED: text('Пісню додано до бібліотеки', 'The song is in the library'),
  TRACK_SAVED: text('Зміни збережено', 'The changes are saved'),
  TRACK_UNCHANGED: text('Нічого не змінилося', 'Nothing has changed'),
  TRACK_DELETED: text('Пісню видалено', 'The song is deleted'),
  TRACK_MOVED: text('Пісню перенесено', 'The song is moved'),
  GROUP_CREATED: text('Групу створено', 'The group is created'),
  GROUP_SAVED: text('Групу збережено', 'The group is saved'),
  GROUP_DELETED: text('Групу видалено', 'The group is deleted'),
  GROUP_INSERTED: text('Групу поставлено в чергу', 'The group is queued'),
} as const satisfies Record<string, Localized>
