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
  UNAUTHORIZED: failure(401, 'Увійдіть до системи', 'Please log in'),
  INVALID_CREDENTIALS: failure(401, 'Неправильний логін або пароль', 'Wrong login or password'),
  FORBIDDEN: failure(403, 'Немає доступу', 'Access denied'),
  SUPER_ADMIN_ONLY: failure(403, 'Лише для головного адміністратора', 'For the super admin only'),
  FEATURE_UNAVAILABLE: failure(
    400,
    'Ця функція недоступна в цій конфігурації: {capability}',
    'This feature is not available in this configuration: {capability}',
  ),
  STORAGE_WRITE_FAILED: failure(400, 'Не вдалося зберегти файл', 'The file could not be stored'),
  QUEUE_GROUP_INSERT_FAILED: failure(
    400,
    'Не вдалося поставити групу в чергу',
    'The group could not be queued',
  ),
  QUEUE_ADD_FAILED: failure(400, 'Не вдалося поставити пісню в чергу', 'The song could not be queued'),
  QUEUE_REMOVE_FAILED: failure(
    400,
    'Не вдалося прибрати пісню з черги',
    'The song could not be removed from the queue',
  ),
  QUEUE_RESTORE_FAILED: failure(
    400,
    'Не вдалося повернути пісню в чергу',
    'The song could not be put back into the queue',
  ),
  QUEUE_MOVE_FAILED: failure(400, 'Не вдалося пересунути пісню', 'The song could not be moved'),
  JINGLE_INSERT_FAILED: failure(400, 'Не вдалося поставити джингл', 'The jingle could not be put next'),
  JINGLE_CANCEL_FAILED: failure(400, 'Не вдалося прибрати джингл', 'The jingle could not be taken back'),
  QUEUE_SKIP_FAILED: failure(400, 'Не вдалося пропустити пісню', 'The song could not be skipped'),
  QUEUE_SUGGESTION_INJECT_FAILED: failure(
    400,
    'Не вдалося поставити замовлену пісню в чергу',
    'The requested song could not be queued',
  ),
  TIER_UNAVAILABLE: failure(400, 'Такий рівень недоступний', 'This tier is not available'),
  SUGGESTION_REFUSED: failure(400, 'Замовлення не прийнято', 'The request was not accepted'),
  SUGGESTION_NOT_FOUND: failure(404, 'Такого замовлення вже немає', 'There is no such request any more'),
  NOT_FOUND: failure(404, 'Не знайдено', 'Not found'),
  TRACK_NOT_FOUND: failure(404, 'Пісню не знайдено', 'Song not found'),
  SONG_NOT_FOUND: failure(404, 'Такої пісні немає', 'There is no such song'),
  STREAM_OFF: failure(404, 'Спільний потік вимкнено', 'The shared stream is off'),
  TRACK_LOCKED: failure(
    409,
    'Пісня зараз в ефірі або прозвучить наступною',
    'The song is on air or comes next',
  ),
  SONG_OFF_AIR: failure(
    409,
    'Пісня належить до режиму, який зараз не в ефірі',
    'This song belongs to the other programme',
  ),
  SONG_NOT_ORDERABLE: failure(
    409,
    'Цю пісню зараз не можна поставити в ефір',
    "This song can't be played right now",
  ),
  DONATIONS_PAUSED: failure(
    409,
    'Ведучі спілкуються в ефірі: замовлення тимчасово не приймаються',
    'The hosts are talking, so orders are paused for the moment',
  ),
  DONATION_NOT_UNQUEUED: failure(
    409,
    'Це замовлення не чекає на рішення',
    "This order isn't waiting for a decision",
  ),
  FILENAME_EXISTS: failure(409, 'Файл із такою назвою вже є', 'A file with that name already exists'),
  BACKUP_RUNNING: failure(409, 'Резервну копію вже завантажують', 'Another backup is being downloaded'),
  MODE_SWITCH_REFUSED: failure(409, 'Режим зараз не можна перемкнути', 'The mode cannot be switched now'),
  JINGLE_IN_PROGRESS: failure(
    409,
    'Під час джинглу пісню не можна пропустити',
    "You can't skip during a jingle",
  ),
  DONATED_QUEUED: failure(
    409,
    'У черзі стоїть оплачена пісня: поставити чергу на паузу не можна',
    "A paid song is queued, so the queue can't be paused",
  ),
  QUEUE_PAUSED: failure(409, 'Чергу поставлено на паузу', 'The queue is paused'),
  NOT_LIVE: failure(409, 'Ви не в ефірі', 'You are not on the air'),
  ALREADY_LIVE: failure(
    409,
    'Ви вже в ефірі або маєте дозвіл вийти в нього',
    'You are already on air, or have been let in',
  ),
  LIVE_ELSEWHERE: failure(
    409,
    'Ваш обліковий запис уже в ефірі з іншого вікна',
    'Your account is on air in another window',
  ),
  SLOTS_TAKEN: failure(409, 'В ефірі немає вільного місця', 'There is no free slot on the air'),
  NO_HOSTS: failure(409, 'В ефірі немає ведучих', 'No host is on the air'),
  PARTICIPANT_NOT_FOUND: failure(404, 'Такого учасника в ефірі немає', 'Participant not found'),
  GUEST_NOT_FOUND: failure(404, 'Такого гостя в ефірі немає', 'There is no such guest on the air'),
  GUEST_NOT_APPROVED: failure(403, 'Вам ще не дозволено вийти в ефір', 'You may not come on the air yet'),
  GUEST_REQUEST_NOT_FOUND: failure(404, 'Такого запиту вже немає', 'There is no such request any more'),
  GUEST_REQUEST_REFUSED: failure(
    409,
    'Зараз не можна попроситися в ефір',
    'Guest requests are closed right now',
  ),
  BANNED: failure(403, 'З вашої адреси вихід в ефір заборонено', 'Your address is banned from the air'),
  GUEST_CODE_REFUSED: failure(409, 'Код доступу не прийнято', 'The access code was not accepted'),
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
  DELETE_QUOTA_EXCEEDED: failure(
    429,
    'Добовий ліміт видалень: залишилося {remaining} з {limit}',
    'Daily deletion quota: {remaining} of {limit} left',
  ),
  HEADERS_TOO_LARGE: failure(431, 'Заголовки запиту завеликі', 'The request headers are too large'),
  FETCH_FAILED: failure(500, 'Сервіс текстів пісень не відповів', 'The lyrics service did not answer'),
  DONATIONS_TIERS_FAILED: failure(500, 'Не вдалося дізнатися ціну', 'The price could not be worked out'),
  DONATIONS_CREATE_FAILED: failure(
    500,
    'Не вдалося оформити замовлення, спробуйте ще раз',
    'The order could not be placed, please try again',
  ),
  DONATIONS_STATUS_FAILED: failure(
    500,
    'Не вдалося дізнатися стан замовлення',
    'The status of the order could not be read',
  ),
  DONATIONS_SETTINGS_LOAD_FAILED: failure(
    500,
    'Не вдалося прочитати налаштування донатів',
    'The donation settings could not be read',
  ),
  DONATIONS_SETTINGS_SAVE_FAILED: failure(
    500,
    'Не вдалося зберегти налаштування донатів',
    'The donation settings could not be saved',
  ),
  DONATIONS_HISTORY_FAILED: failure(
    500,
    'Не вдалося прочитати історію донатів',
    'The donation history could not be read',
  ),
  DONATIONS_CHANGE_FAILED: failure(500, 'Не вдалося змінити замовлення', 'The order could not be changed'),
  INTERNAL: failure(500, 'Внутрішня помилка', 'Internal error'),
  STORAGE_URL_FAILED: failure(502, 'Сховище файлів не відповідає', 'The file storage does not answer'),
  DONATIONS_FULL: failure(
    503,
    'Забагато замовлень чекає на оплату: спробуйте за годину',
    'Too many orders are waiting for payment. Please try again in an hour',
  ),
  PUSH_SERVICE_UNKNOWN: failure(
    400,
    'Сповіщення цього браузера тут не підтримуються',
    "This browser's notifications aren't supported here",
  ),
  NOTIFICATIONS_FULL: failure(
    409,
    'Забагато пісень уже чекають на сповіщення',
    'Too many songs are already waiting to be announced',
  ),
  FORMAT_NOT_OFFERED: failure(
    501,
    'Цього формату немає, є лише JSON',
    'This format is not offered, only JSON is',
  ),
  STREAM_NOT_READY: failure(503, 'Потік ще не готовий', 'The stream is not ready'),
  AIR_UNAVAILABLE: failure(
    503,
    'Ефір тимчасово недоступний, спробуйте ще раз',
    'The station is briefly unavailable. Please try again',
  ),
  JOBS_UNAVAILABLE: failure(
    503,
    'Обробка триває довше, ніж зазвичай; вона завершиться сама',
    'This is taking longer than usual. It will finish in the background',
  ),
  DATA_UNAVAILABLE: failure(
    503,
    'Дані тимчасово недоступні, спробуйте ще раз',
    'Data is briefly unavailable. Please try again',
  ),
  TOOL_UNAVAILABLE: failure(
    503,
    'Завантажувач відео тут недоступний',
    'The download tool is not available here',
  ),
  TOOL_TIMEOUT: failure(
    504,
    'Сайт відео відповідає занадто довго, спробуйте пізніше',
    'The video site is taking too long. Please try again later',
  ),
} as const satisfies Record<string, FailureKind>

export type FailureCode = keyof typeof failures

const text = (uk: string, en: string): Localized => ({ uk, en })

const preparing = text(
  'Ефір саме готується: спробуйте за мить',
  'The programme is being prepared. Try again in a moment',
)

/** Why a single song is not put into the queue. */
const insertionReasons = {
  cooldown: text('Наступну пісню можна додати за {secsLeft} с', 'The next song is possible in {secsLeft} s'),
  not_found: text('Такої пісні немає', 'There is no such song'),
  wrong_mode: text('Пісня належить до іншого режиму', 'The song is of the other mode'),
  preparing,
  no_time: text(
    'Пісня не встигне прозвучати: до зміни режиму {minutesLeft} хв',
    "The song doesn't fit: the programme changes in {minutesLeft} min",
  ),
  duplicate_nearby: text(
    'Ця пісня вже стоїть поруч на цьому місці черги',
    'The same song is already next to that place in the queue',
  ),
}

/** Texts that replace those of the code when the `reason` is known. */
const reasons: Partial<Record<FailureCode, Record<string, Localized>>> = {
  BAD_REQUEST: {
    missing: text('Не заповнено: {field}', 'Missing: {field}'),
    login_invalid: text(
      'Логін має містити від 1 до 64 друкованих символів',
      'A login needs 1 to 64 printable characters',
    ),
    login_taken: text('Такий логін уже зайнятий', 'This login is taken'),
    password_weak: text(
      'Пароль має містити щонайменше 8 символів, велику й малу літери та цифру',
      'A password needs at least 8 characters, an upper-case and a lower-case letter and a digit',
    ),
    password_wrong: text('Неправильний пароль', 'Wrong password'),
    already_active: text('Обліковий запис уже активовано', 'The account is already active'),
    super_admin: text(
      'Обліковий запис головного адміністратора змінюють у налаштуваннях сервера',
      "The super admin's account is changed in the server's settings",
    ),
    empty_body: text('Файл порожній', 'The file is empty'),
    not_mp3: text('Це не MP3', 'This is not an MP3'),
    too_long: text('Не довше ніж {maxSeconds} с', 'At most {maxSeconds} s long'),
    duration_unreadable: text('Не вдалося визначити тривалість', 'The duration cannot be determined'),
    not_jpeg: text('Приймається лише JPEG', 'Only JPEG is accepted'),
    line_untimed: text(
      'Рядки синхронізованого тексту мають вигляд [ХХ:СС.сс] текст',
      'Synced lyrics need lines like [MM:SS.cc] text',
    ),
    name_long: text('Задовге для назви файлу: {field}', 'Too long for a file name: {field}'),
    image_large: text(
      'Зображення завелике: щонайбільше {maxMegapixels} мегапікселів',
      'The image is too large: {maxMegapixels} megapixels at most',
    ),
    not_portrait: text(
      'Висота зображення має перевищувати ширину',
      'The image must be taller than it is wide',
    ),
    not_uploaded: text(
      'Цього файлу вже немає серед завантажених; завантажте його знову',
      'That file is no longer waiting. Upload it again',
    ),
    name_taken: text('Така назва вже зайнята', 'This name is taken'),
    not_an_ip: text('{field}: це не IP-адреса', '{field}: this is no IP address'),
    no_songs: text('Виберіть хоча б одну пісню', 'Choose at least one song'),
    songs_unknown: text('Деяких пісень немає в цьому режимі', 'Some songs are not in this mode'),
    length: text('{field}: від {min} до {max} символів', '{field}: {min} to {max} characters'),
    digits: text(
      '{field}: назва групи не може складатися із самих цифр',
      '{field}: a group name needs more than digits',
    ),
    not_an_address: text(
      '{field}: адреса має починатися з http:// або https://',
      '{field}: the address has to start with http:// or https://',
    ),
    not_a_country: text(
      '{field}: потрібен код країни з двох літер, наприклад UA',
      '{field}: needs a country code of two letters, such as UA',
    ),
    not_languages: text(
      '{field}: потрібні коди мов через кому, наприклад uk,en',
      '{field}: needs language codes with commas, such as uk,en',
    ),
    not_a_place: text(
      '{field}: потрібні градуси широти й довготи через кому, наприклад 50.45,30.52',
      '{field}: needs degrees of latitude and longitude with a comma, such as 50.45,30.52',
    ),
    too_many: text('{field}: не більше ніж {max}', '{field}: at most {max}'),
    out_of_range: text('{field}: від {min} до {max}', '{field}: {min} to {max}'),
    groups_too_few: text(
      'Потрібні щонайменше дві групи, у яких є пісні',
      'At least two groups with songs are needed',
    ),
    library_short: text(
      'Для цього бібліотека режиму «{mode}» має тривати щонайменше годину',
      'This needs a {mode} library of at least an hour',
    ),
    groups_short: text('З таких груп не набереться й години', 'These groups do not make an hour'),
    phrases_few: text(
      'Щоб фрази звучали, у кожному режимі їх має бути ввімкнено щонайменше {minRequired}',
      'Phrases need at least {minRequired} enabled in every mode',
    ),
    link_foreign: text('Посилання не з підтримуваного сайту відео', "This video site isn't supported"),
    link_playlist: text(
      'Це посилання на список відтворення; виберіть окреме відео',
      'This link is a playlist. Choose a single video',
    ),
    video_unreadable: text(
      'Це відео не вдалося отримати: воно може бути закритим, обмеженим або видаленим',
      'This video is unavailable: it may be private, restricted or removed',
    ),
    video_large: text(
      'Звук цього відео завеликий: щонайбільше {maxMb} МБ',
      'The sound of this video is too large: at most {maxMb} MB',
    ),
    webhook_off: text('Цю адресу вимкнено', 'This address is switched off'),
    not_public: text(
      'Потрібна адреса https загальнодоступного сервера',
      'An https address of a public server is needed',
    ),
    job_not_failed: text('Повторити можна лише невдале завдання', 'Only failed jobs can be retried'),
    job_awaited: text(
      'Таке завдання виконується, лише поки на нього чекають: повторіть сам запит',
      'This job runs only while its request waits. Send the request again',
    ),
    currency_unsupported: text(
      'Платіжний сервіс не приймає цю валюту',
      "The payment service doesn't accept this currency",
    ),
    cookies_foreign: text(
      'У тексті немає файлів cookie з сайту відео',
      'The text contains no cookies from the video site',
    ),
  },
  DATA_UNAVAILABLE: {
    disk_full: text(
      'На диску сервера закінчилося місце. Зміни знову стануть можливими, щойно його звільнять',
      "The server's disk is full. Changes will work again as soon as there is room",
    ),
  },
  STORAGE_WRITE_FAILED: {
    tags: text('Теги цього файлу не вдається змінити', 'The tags of this file cannot be changed'),
    away: text('Сховище файлів не відповідає', 'The file storage does not answer'),
  },
  TRACK_LOCKED: {
    current: text('Пісня зараз звучить', 'The song is playing now'),
    next: text('Пісня прозвучить наступною', 'The song comes next'),
  },
  MODE_SWITCH_REFUSED: {
    night_off: text('Нічний режим вимкнено', 'The night programme is off'),
    already: text('Цей режим уже в ефірі', 'This mode is on air already'),
    cooldown: text(
      'Перемкнути режим знову можна за {secsLeft} с',
      'The next switch is possible in {secsLeft} s',
    ),
    donated: text(
      'У черзі ще є оплачені пісні ({songs}): режим можна перемкнути, щойно почнеться остання з них',
      'Paid songs are still queued ({songs}): the mode can be switched once the last of them has begun',
    ),
    empty: text('У цьому режимі немає що грати', 'This mode has nothing to play'),
  },
  QUEUE_GROUP_INSERT_FAILED: {
    cooldown: text(
      'Наступну групу можна додати за {secsLeft} с',
      'The next group is possible in {secsLeft} s',
    ),
    preparing,
    no_time: text(
      'Група не встигне прозвучати: до зміни режиму {minutesLeft} хв',
      "The group doesn't fit: the programme changes in {minutesLeft} min",
    ),
    not_found: text('Такої групи немає', 'There is no such group'),
    wrong_mode: text('Група належить до іншого режиму', 'The group is of the other mode'),
    empty: text('У групі немає пісень', 'The group has no songs'),
  },
  SONG_NOT_ORDERABLE: {
    not_found: text(
      'Файл цієї пісні зараз не вдається відтворити: оберіть, будь ласка, іншу',
      "This song's file can't be played at the moment. Please choose another one",
    ),
    preparing: text(
      'Ефір саме готується до наступної програми: спробуйте за хвилину',
      'The next programme is being prepared. Please try again in a minute',
    ),
    no_time: text(
      'Пісня не встигне прозвучати до зміни програми: до неї {minutesLeft} хв',
      'The song no longer fits: the programme changes in {minutesLeft} min',
    ),
    wrong_mode: text(
      'Пісня належить до режиму, який зараз не в ефірі',
      'This song belongs to the other programme',
    ),
  },
  DONATION_NOT_UNQUEUED: {
    unpaid: text('Це замовлення не оплачене', "This order hasn't been paid for"),
    paid: text('Пісня цього замовлення вже стоїть у черзі', 'The song of this order is queued already'),
    aired: text('Пісня цього замовлення вже прозвучала', 'The song of this order has been played'),
    paid_back: text('Гроші за це замовлення вже повернуто', 'This order has been paid back'),
  },
  QUEUE_ADD_FAILED: insertionReasons,
  QUEUE_SUGGESTION_INJECT_FAILED: insertionReasons,
  QUEUE_REMOVE_FAILED: {
    cooldown: text(
      'Прибрати наступну пісню можна за {secsLeft} с',
      'The next song can be removed in {secsLeft} s',
    ),
    not_found: text('У черзі немає такого місця', 'There is no such place in the queue'),
  },
  QUEUE_RESTORE_FAILED: {
    forgotten: text(
      'Цю пісню вже повернули, або її прибрали надто давно',
      'It is back already, or was removed too long ago',
    ),
    not_found: text('Цю пісню вже не можна програти', "This song can't be played any more"),
    preparing: insertionReasons.preparing,
    mode_over: text(
      'Програма саме змінюється: ця пісня вже не прозвучала б',
      'The programme is changing, and the song would not be played any more',
    ),
    aired: text('Її місце в черзі вже минуло', 'Its place in the queue has gone by'),
    gone: text('Списку, в якому вона стояла, вже немає', 'The playlist in which it stood has been replaced'),
    duplicate_nearby: insertionReasons.duplicate_nearby,
  },
  QUEUE_MOVE_FAILED: {
    cooldown: text(
      'Пересунути наступну пісню можна за {secsLeft} с',
      'The next song can be moved in {secsLeft} s',
    ),
    not_found: text('Цієї пісні вже немає в черзі', 'This song is no longer in the queue'),
    moved: text(
      'Черга тим часом змінилася: погляньте ще раз',
      'The queue has changed meanwhile. Please look again',
    ),
    locked: text('Ця пісня звучить або прозвучить наступною', 'This song is on air or plays next'),
    donated: text('Оплачену пісню пересувати не можна', "A paid song can't be moved"),
    place: text(
      'На це місце пісню пересунути не можна: оплачені та замовлені пісні йдуть першими',
      "The song can't go there: paid and requested songs come first",
    ),
    duplicate_nearby: insertionReasons.duplicate_nearby,
  },
  JINGLE_CANCEL_FAILED: {
    gone: text('Цей джингл уже не стоїть наступним', 'This jingle is no longer next'),
  },
  JINGLE_INSERT_FAILED: {
    no_stream: text('Джингли звучать лише в режимі потоку', 'Jingles play in stream mode only'),
    preparing: text(
      'Ефір саме готується до наступної програми: спробуйте за хвилину',
      'The next programme is being prepared. Please try again in a minute',
    ),
    paused: text('Чергу призупинено: спершу поновіть її', 'The queue is paused: resume it first'),
    jingle: text('Джингл саме звучить', 'A jingle is playing now'),
    wrong_mode: text('Цей джингл належить до іншого режиму', 'This jingle is of the other mode'),
    off: text('Цей джингл вимкнено, або його вже немає', 'This jingle is switched off or gone'),
    too_few: text(
      'У цьому режимі замало ввімкнених джинглів',
      'This mode has too few jingles that are switched on',
    ),
  },
  QUEUE_SKIP_FAILED: {
    cooldown: text(
      'Пропустити ще одну пісню можна за {secsLeft} с',
      'The next skip is possible in {secsLeft} s',
    ),
    not_found: text('Зараз нічого не звучить', 'Nothing is playing now'),
  },
  SUGGESTION_REFUSED: {
    cooldown: text(
      'Наступне замовлення можна зробити за {secsLeft} с',
      'The next request is possible in {secsLeft} s',
    ),
    not_found: text('Такої пісні немає', 'There is no such song'),
    wrong_mode: text('Пісня належить до іншого режиму', 'The song is of the other mode'),
  },
  GUEST_REQUEST_REFUSED: {
    special_guest_active: text('Зараз в ефір виходить запрошений гість', 'A special guest is expected now'),
    no_admin: text('В ефірі немає ведучих', 'No host is on the air'),
    cooldown: text(
      'Попросити слова знову можна за {secsLeft} с',
      'The next request is possible in {secsLeft} s',
    ),
    room_full: text('В ефірі немає місця для гостя', 'There is no room for a guest on the air'),
  },
  GUEST_CODE_REFUSED: {
    too_many_attempts: text(
      'Забагато неправильних кодів, спробуйте за {secsLeft} с',
      'Too many wrong codes, try again in {secsLeft} s',
    ),
    no_code: text('Зараз код доступу не діє', 'There is no access code now'),
    wrong_code: text('Неправильний код доступу', 'Wrong access code'),
    room_full: text('В ефірі немає місця для гостя', 'There is no room for a guest on the air'),
    exists: text('Код доступу вже є', 'There already is an access code'),
  },
  FORBIDDEN: {
    origin: text('Запити з цієї сторінки не приймаються', 'Requests from this page are not accepted'),
    is_admin: text('Адміністратори виходять в ефір лише як ведучі', 'Admins can go on air only as hosts'),
    not_active: text('Спершу активуйте обліковий запис', 'Activate the account first'),
    whole_library: text(
      'Усю бібліотеку видаляє лише головний адміністратор',
      'Only the super admin can delete the whole library',
    ),
  },
}

/** Details beside the code: `field`, `retryAfterSecs`, `reason` and the like. */
export type FailureDetails = Record<string, string | number | boolean | null>

export interface FailureBody {
  error: Localized & { code: FailureCode; [detail: string]: unknown }
  message: Localized
  [more: string]: unknown
}

/** The one refusal that clients in the field know as a bare string. */
export interface FetchFailedBody {
  error: 'fetch_failed'
}

/** The text of a refusal, for people. */
export function failureText(code: FailureCode, details: FailureDetails = {}): Localized {
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => String(details[name] ?? ''))
  const { uk, en } = reasons[code]?.[String(details.reason)] ?? failures[code].text
  return { uk: fill(uk), en: fill(en) }
}

/** The body that every refusal has on the wire; `message` repeats the text for older clients. */
export function failureBody(code: FailureCode, details: FailureDetails = {}): FailureBody | FetchFailedBody {
  if (code === 'FETCH_FAILED') return { error: 'fetch_failed' }
  const message = failureText(code, details)
  const error = { ...details, code, ...message, ...withinError(code, message) }
  return { ...besideError(code, details, message), error, message }
}

/** Where clients in the field look for more of some refusals than the object in `error`. */
function besideError(code: FailureCode, { donated, remaining, limit }: FailureDetails, localized: Localized) {
  switch (code) {
    case 'TRACK_LOCKED':
    case 'FILENAME_EXISTS':
      return { ok: false, localized }
    case 'MODE_SWITCH_REFUSED':
      return { donated: donated === true }
    case 'DELETE_QUOTA_EXCEEDED':
      return { remaining, limit }
    default:
      return {}
  }
}

function withinError(code: FailureCode, localized: Localized) {
  return code === 'TRACK_LOCKED' || code === 'FILENAME_EXISTS' ? { localized } : {}
}
