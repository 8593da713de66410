import { execFile } from 'node:child_process'
import { cp, link, mkdir, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { SUPER_ADMIN } from '../../tests/harness/people/admin.ts'
import { logIn } from '../../tests/harness/people/uploads.ts'
import { type Teardown, temporaryFolder } from '../../tests/harness/processes/processes.ts'
import { builtPage } from '../../tests/harness/processes/programs.ts'
import { prepareStation, type Station } from '../../tests/harness/stations/station.ts'
import { preparedLibrary } from './library.ts'
import { addMonitoring } from './monitoring.ts'
import { addPast } from './past.ts'

export const ADMIN = { login: 'olena', password: SUPER_ADMIN.ADMIN_PASS }
/** Where browsers find the station. */
export const SITE = 'http://radio.example'
/** A helper who has not logged in yet. */
export const NEWCOMER = 'new_colleague'
/** Given to a helper who has not replaced it yet. */
export const TEMPORARY_PASSWORD = 'Temporary 1'

const zone = 'Europe/Kyiv'
const hour = Number(
  new Intl.DateTimeFormat('en', { hour: '2-digit', hourCycle: 'h23', timeZone: zone }).format(),
)
const hourIn = (hours: number) => String((hour + hours + 24) % 24)

/** Day at whatever time the pictures are taken. */
const settings = {
  ADMIN_LOGIN: ADMIN.login,
  ADMIN_PASS: ADMIN.password,
  TIME_ZONE: zone,
  NIGHT_MODE: 'true',
  DAY_START_HOUR: hour >= 7 && hour < 20 ? '6' : hourIn(-5),
  NIGHT_START_HOUR: hour >= 7 && hour < 20 ? '22' : hourIn(9),
  DEMO_LIBRARY: 'false',
  CROSSFADE_MS: '4000',
  RADIO_HOSTS_MODE: 'true',
  MAX_LIVE_HOST_SLOTS: '4',
  EMBED_ORIGINS: '*',
  DONATIONS_ENABLED: 'true',
  DONATIONS_PROVIDER: 'liqpay',
  LIQPAY_PUBLIC_KEY: 'sandbox',
  LIQPAY_PRIVATE_KEY: 'sandbox',
  PUBLIC_SERVER_URL: SITE,
  LOGIN_ATTEMPTS_PER_15_MIN: '0',
  TRUST_PROXY_HOPS: '1',
  SUGGEST_EXPIRY_S: '599',
  SUGGEST_COOLDOWN_S: '0',
  AIRCHECK_DAYS: '30',
  ...Object.fromEntries(
    ['MODE_SWITCH', 'GROUP_INSERT', 'QUEUE_ADD', 'QUEUE_REMOVE', 'QUEUE_SKIP', 'GUEST_REQUEST'].map(
      (name) => [`${name}_COOLDOWN_S`, '0'],
    ),
  ),
}

export interface Stage {
  url: string
  /** Token of the super admin. */
  token: string
  /** The song whose drawer is opened. */
  song: string
  /** The folder `new` in it has files that are not in the library. */
  media: string
  /** Asks an admin route, such as `POST settings`. @throws when it is refused */
  ask<T = unknown>(request: string, body?: object, token?: string): Promise<T>
}

/** A station in the middle of its day: songs, sounds, settings, helpers, orders, weeks of history. */
export async function openStage(t: Teardown): Promise<Stage> {
  const [library, folder, WEB_DIST] = await Promise.all([preparedLibrary(t), temporaryFolder(t), builtPage()])
  const [DATA_DIR, MEDIA_DIR] = [join(folder, 'data'), join(folder, 'media')]
  await cp(join(library, 'data'), DATA_DIR, { recursive: true })
  for (const path of await filesIn(join(library, 'media'))) {
    await mkdir(dirname(join(MEDIA_DIR, path)), { recursive: true })
    await link(join(library, 'media', path), join(MEDIA_DIR, path))
  }
  const station = await prepareStation(t, [], { ...settings, DATA_DIR, MEDIA_DIR, WEB_DIST })
  await addPast(station)
  await addMonitoring(station)
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker(), station.startJobs()])
  const token = await logIn(url, ADMIN.login, ADMIN.password)
  const stage = { url, token, media: MEDIA_DIR, song: '', ask: asker(url, token) }
  await settle(stage)
  await addFiles(MEDIA_DIR)
  await addSounds(stage, station, folder)
  await addHelpers(stage)
  stage.song = await editSong(stage)
  return stage
}

/** MP3 files for the panel to add: two are whole, one lacks its tags, one is in the library already. */
async function addFiles(media: string): Promise<void> {
  const day = join(media, 'music/day')
  const [first, second, third] = (await readdir(day)).sort()
  await mkdir(join(media, 'new'))
  for (const [name, source, tags] of [
    ['Northern Kiosk - Window Weather.mp3', first, ['title=Window Weather', 'artist=Northern Kiosk']],
    ['Лелека - Дорога додому.mp3', second, ['title=Дорога додому', 'artist=Лелека']],
    ['track_07_final.mp3', third, []],
  ] as [string, string, string[]][]) {
    const metadata = ['-map_metadata', '-1', ...tags.flatMap((tag) => ['-metadata', tag])]
    const file = ['-i', join(day, source), '-map', '0:a', '-c', 'copy', ...metadata, join(media, 'new', name)]
    await promisify(execFile)('ffmpeg', ['-v', 'error', '-y', ...file])
  }
  await link(join(day, first!), join(media, 'new', first!))
}

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))

const asker =
  (url: string, own: string): Stage['ask'] =>
  async (request, body, token = own) => {
    const [method, path] = request.split(' ') as [string, string]
    const answer = await fetch(`${url}/api/admin/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${request}: ${answer.status} ${text.slice(0, 300)}`)
    return JSON.parse(text)
  }

async function settle({ ask }: Stage): Promise<void> {
  const names = (dayRadioName: string, nightRadioName: string, messengerLabel: string) => ({
    dayRadioName,
    nightRadioName,
    messengerLabel,
  })
  await ask('POST settings', {
    branding: {
      messenger_url: 'https://t.me/example',
      byLang: {
        uk: names('Сонцестояння', 'Ніч над містом', 'Телеграм'),
        en: names('Solstice', 'City at Night', 'Telegram'),
      },
    },
  })
  await ask('POST settings', {
    generation: {
      GROUP_DEFS: {
        'Slow mornings': ['Slow Orchard', 'Linden & Salt', 'Kiosk Nineteen'],
        'City noise': ['Amber Tramway', 'Tin Lighthouse', 'Velvet Timetable'],
        Українське: ['Тиха Пристань', 'Вересень і Вітер', 'Сто Перша Кав’ярня'],
        Everyone: [],
      },
      NIGHT_GROUP_DEFS: { Quiet: ['Linden & Salt', 'Slow Orchard', 'Marta Kestrel Trio'], 'All others': [] },
    },
  })
  const some = async (mode: string, from: number, count: number) =>
    (await ask<{ id: string }[]>(`GET songs?mode=${mode}`)).slice(from, from + count).map(({ id }) => id)
  await ask('POST donations/settings', {
    currency: 'UAH',
    pricingMode: 'fixed',
    fixedPrice: 50,
    tiersEnabled: true,
    tierCeiling: 3,
  })
  await ask('POST song-groups', { name: 'Morning hour', mode: 'day', songs: await some('day', 0, 6) })
  await ask('POST song-groups', { name: 'Котики й кава', mode: 'day', songs: await some('day', 14, 4) })
  await ask('POST song-groups', { name: 'Lights out', mode: 'night', songs: await some('night', 2, 5) })
}

async function addSounds({ url, token }: Stage, { env }: Station, folder: string): Promise<void> {
  const day = (await readdir(join(env.MEDIA_DIR!, 'music/day'))).sort()
  const upload = async (
    kind: string,
    mode: string,
    name: string,
    atS: number,
    seconds: number,
    turn: number,
  ) => {
    const [from, path] = [
      join(env.MEDIA_DIR!, 'music/day', day[turn % day.length]!),
      join(folder, 'sound.mp3'),
    ]
    const cut = ['-ss', String(atS), '-t', String(seconds), '-i', from]
    await promisify(execFile)('ffmpeg', [
      '-v',
      'error',
      '-y',
      ...cut,
      '-map',
      '0:a',
      '-map_metadata',
      '-1',
      '-c',
      'copy',
      path,
    ])
    const answer = await fetch(`${url}/api/admin/${kind}/upload?mode=${mode}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'audio/mpeg',
        'x-file-name': encodeURIComponent(`${name}.mp3`),
      },
      body: await readFile(path),
    })
    if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`)
  }
  const sounds = {
    jingles: {
      'Station call': 6,
      'Доброго ранку': 9,
      'Top of the hour': 4,
      'You are not alone': 8,
      'Кава о дев’ятій': 7,
      'News bed': 12,
    },
    phrases: { 'Stay with us': 3, 'Далі буде': 4, 'More after this one': 3.5, 'Requests are open': 4.5 },
    'background-music': {
      'Warm chairs': 42,
      'Rain on the studio roof': 58,
      'Slow clock': 50,
      'Між рядками': 47,
    },
  }
  let turn = 0
  for (const [kind, ofKind] of Object.entries(sounds))
    for (const [name, seconds] of Object.entries(ofKind))
      await upload(kind, 'day', name, 9 + (turn % 4), seconds, 3 * turn++)
}

/** Lets a helper edit a song, the first of some that is neither on air nor next; returns its id. */
async function editSong({ url, ask }: Pick<Stage, 'url' | 'ask'>): Promise<string> {
  const editor = await logIn(url, 'taras', ADMIN.password)
  const songs = await ask<{ id: string; title: string; artist: string }[]>('GET songs?mode=day')
  for (const wanted of ['Harbour Before Rain', 'Market at Noon', 'First Tram']) {
    const { id: songId, title, artist } = songs.find((song) => song.title === wanted)!
    const metadata = { title, artist, album: 'Weather Letters', year: 2021 }
    const isEdited = await ask(
      'POST song-editor/save',
      { songId, metadata, metadataChanged: true },
      editor,
    ).then(
      () => true,
      () => false,
    )
    if (!isEdited) continue
    await ask('POST song-editor/save', { songId, metadata, offset: 0.3, offsetChanged: true }, editor)
    return songId
  }
  throw new Error('no song could be edited')
}

async function addHelpers({ url, ask }: Stage): Promise<void> {
  const helpers = {
    taras: ['upload_songs', 'editor_lyrics', 'editor_meta', 'stats', 'queue_manage', 'artist_arts'],
    ihor: ['radio_moderator', 'radio_host', 'stats', 'mode_switch'],
    daryna: ['jingles_uploader', 'settings_algorithm', 'settings_groups', 'stats'],
    [NEWCOMER]: ['upload_songs', 'stats'],
  }
  for (const [login, privileges] of Object.entries(helpers)) {
    await ask('POST admins', { login, password: TEMPORARY_PASSWORD, privileges })
    if (login === NEWCOMER) continue
    const temporary = await logIn(url, login, TEMPORARY_PASSWORD)
    await ask(
      'POST admins/self/activate',
      { tempPassword: TEMPORARY_PASSWORD, newPassword: ADMIN.password },
      temporary,
    )
  }
  const devices = [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  ]
  for (const [i, agent] of devices.entries())
    await fetch(`${url}/api/admin/login`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': agent,
        'x-forwarded-for': `192.0.2.${7 + i}`,
      },
      body: JSON.stringify({ login: ADMIN.login, password: ADMIN.password }),
    })
}
