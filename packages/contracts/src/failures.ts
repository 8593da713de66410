import type { Localized } from './localized.ts'

interface FailureKind {
  status: number
  text: Localized
}

const failure = (status: number, uk: string, en: string): FailureKind => ({ status, text: { uk, en } })

/**
 * Every refusal of the service: its code, HTTP status and text. A code is never changed once shipped; texts may be.
 * `{name}` in a text stands for the detail of that name.
 */
export const failures = {
  BAD_REQUEST: failure(400, 'Некоректний запит: {field}', 'Bad request: {field}'),
  MALFORMED_JSON: failure(400, 'Тіло запиту не є коректним JSON', 'The body is not valid JSON'),
  ART_TOKEN_INVALID: failure(
    401,
    'Токен слухача недійсний або застарів',
    'The listener token is invalid or has expired',
  ),
  AUDIO_TOKEN_INVALID: failure(
    401,
    'Токен аудіо недійсний або застарів',
    'The audio token is invalid or has expired',
  ),
  FORBIDDEN: failure(403, 'Немає доступу', 'Access denied'),
  NOT_FOUND: failure(404, 'Не знайдено', 'Not found'),
  TRACK_NOT_FOUND: failure(404, 'Трек не знайдено', 'Track not found'),
  STREAM_OFF: failure(404, 'Спільний потік вимкнено', 'The shared stream is off'),
  METHOD_NOT_ALLOWED: failure(405, 'Метод не підтримується', 'Method not allowed'),
  REQUEST_TIMEOUT: failure(408, 'Запит надходив занадто повільно', 'The request came too slowly'),
  PAYLOAD_TOO_LARGE: failure(413, 'Запит завеликий', 'The request is too large'),
  URI_TOO_LONG: failure(414, 'Адреса запиту задовга', 'The request address is too long'),
  UNSUPPORTED_MEDIA_TYPE: failure(415, 'Тип вмісту не підтримується', 'Unsupported content type'),
  RANGE_NOT_SATISFIABLE: failure(416, 'Такого діапазону у файлі немає', 'The file has no such range'),
  RATE_LIMITED: failure(
    429,
    'Забагато запитів, спробуйте за {retryAfterSecs} с',
    'Too many requests, try again in {retryAfterSecs} s',
  ),
  HEADERS_TOO_LARGE: failure(431, 'Заголовки запиту завеликі', 'The request headers are too large'),
  FETCH_FAILED: failure(500, 'Сервіс текстів пісень не відповів', 'The lyrics service did not answer'),
  INTERNAL: failure(500, 'Внутрішня помилка', 'Internal error'),
  STREAM_NOT_READY: failure(503, 'Потік ще не готовий', 'The stream is not ready'),
  AIR_UNAVAILABLE: failure(
    503,
    'Ефір тимчасово недоступний, спробуйте ще раз',
    'The air is unavailable for a moment, please try again',
  ),
} as const satisfies Record<string, FailureKind>

export type FailureCode = keyof typeof failures

/** What a refusal carries beside its code: `field`, `retryAfterSecs`, `reason` and the like. */
export type FailureDetails = Record<string, string | number | boolean | null>

export interface FailureBody {
  error: Localized & { code: FailureCode } & FailureDetails
  message: Localized
}

/** The one refusal that clients in the field know as a bare string. */
export interface FetchFailedBody {
  error: 'fetch_failed'
}

/** The body that every refusal has on the wire; `message` repeats the text for older clients. */
export function failureBody(code: FailureCode, details: FailureDetails = {}): FailureBody | FetchFailedBody {
  if (code === 'FETCH_FAILED') return { error: 'fetch_failed' }
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => String(details[name] ?? ''))
  const { uk, en } = failures[code].text
  const message = { uk: fill(uk), en: fill(en) }
  return { error: { ...details, code, ...message } as FailureBody['error'], message }
}
