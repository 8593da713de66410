import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type DataStore,
  endMsOf,
  FRAME_MS,
  type Heard,
  HOUR_MS,
  hourKeys,
  hourOf,
  indexLines,
  type StoredPart,
} from '@solstice/station'
import type { Station } from '../../tests/harness/stations/station.ts'

const MINUTE_MS = 60_000
/** The webhook whose drawer is opened. */
export const WEBHOOK = 'q3Vt0cJ1yNf8sXw2'
/** Two days ago: its hours are over in any time zone. */
export const RECORDED_DAY = new Date(Date.now() - 48 * HOUR_MS).toISOString().slice(0, 10)

/** What Monitoring shows: alarms, a recorded day, and webhooks with what they were told. */
export async function addMonitoring(station: Station): Promise<void> {
  const data = await station.openData()
  await addAlarms(data)
  await addWebhooks(data)
  await addRecording(data, station.env.MEDIA_DIR!)
  await data.close()
}

async function addAlarms(data: DataStore): Promise<void> {
  const nowMs = Date.now()
  const alarms = [
    ['no_bytes', 'https://radio.example', 4_100, 0.3, 'nothing for 7.0 s: connection closed'],
    ['title', 'https://radio.example', 1_520, 1.2, 'players are told “First Tram”, on air is “Morning Tide”'],
    ['loudness', 'http://api-2:3001', 610, 9, '−27.3 LUFS, planned −16.0 LUFS'],
    ['silence', 'https://radio.example', 95, 0.4, 'below −60 dBFS for 8.1 s'],
    ['clipping', 'http://api-1:3001', 3, null, '2.7 % of samples at full scale in 5 s'],
  ] as const
  for (const [i, [cause, source, minutesAgo, minutes, evidence]] of alarms.entries()) {
    const beganAt = Math.round(nowMs - minutesAgo * MINUTE_MS)
    const endedAt = minutes === null ? null : Math.round(beganAt + minutes * MINUTE_MS)
    await data.alarms.insert({ cause, source, beganAt, endedAt, evidence, openKey: String(-i) } as never)
  }
}

const song = {
  trackId: 'day/Low Tide.mp3',
  title: 'Low Tide',
  artist: 'Hilda',
  album: 'Shores',
  mode: 'day',
}
/** Messages of the first webhook: kind, minutes ago, what about. */
const told = [
  [
    'donation.paid',
    61,
    { donationId: '5d3c0a7e', title: 'Low Tide', artist: 'Hilda', amount: 50, currency: 'UAH', tier: 1 },
  ],
  ['track.started', 14, song],
  ['webhook.test', 11, {}],
  ['track.started', 7, { ...song, title: 'Harbour Before Rain' }],
  [
    'alarm.began',
    3,
    {
      alarmId: 5,
      cause: 'clipping',
      source: 'api-1:3001',
      evidence: '2.7 % of samples at full scale in 5 s',
    },
  ],
] as const

async function addWebhooks(data: DataStore): Promise<void> {
  const nowMs = Date.now()
  // Nothing is really sent.
  const since = Date.UTC(2100, 0)
  const webhook = { isOn: true, createdAt: nowMs - 9 * 24 * HOUR_MS, since, secret: 'whsec_' }
  const healthy = { failingSince: null, switchedOff: null }
  await data.webhooks.put({
    ...{
      ...webhook,
      ...healthy,
      id: WEBHOOK,
      url: 'https://hooks.example.org/radio/7c41',
      description: 'Chat bot',
    },
    types: ['track.started', 'live.began', 'donation.paid', 'alarm.began', 'alarm.ended'],
  })
  await data.webhooks.put({
    ...{
      ...webhook,
      ...healthy,
      id: 'lamp',
      url: 'https://studio.example.net/lamp',
      description: 'On-air lamp',
    },
    ...{ types: ['live.began', 'live.ended'], failingSince: nowMs - 5 * HOUR_MS },
  })
  await data.webhooks.put({
    ...{
      ...webhook,
      id: 'sheet',
      url: 'https://sheets.example.com/donations',
      description: 'Donation sheet',
    },
    ...{
      types: ['donation.paid', 'donation.unqueued'],
      isOn: false,
      failingSince: null,
      switchedOff: 'gone',
    },
  })
  for (const [i, [type, minutesAgo, about]] of told.entries()) {
    const createdAt = nowMs - minutesAgo * MINUTE_MS
    const body = JSON.stringify({ type, timestamp: new Date(createdAt).toISOString(), data: about })
    const again = i === 0 ? { attempts: 3 } : { attempts: 1 }
    const delivered = {
      state: 'delivered',
      attemptedAt: createdAt + 180,
      nextAt: null,
      status: 204,
      error: null,
    } as const
    const id = `msg_${i}`
    await data.webhookMessages.insert({
      ...{ key: `${WEBHOOK} ${id}`, webhookId: WEBHOOK, id, type, createdAt, body },
      ...{ ...delivered, ...again },
    })
  }
}

/** The index of a day, without its sound: with a hole, jingles, and a live show in the evening. */
async function addRecording(data: DataStore, media: string): Promise<void> {
  const tracks = (await data.tracks.find()).filter(({ mode }) => mode === 'day')
  const dayMs = Date.parse(`${RECORDED_DAY}T00:00:00Z`)
  let turn = 0
  for (let hour = -4; hour < 24; hour++) {
    const startMs = dayMs + hour * HOUR_MS
    // The recorder was away for twenty minutes.
    const brokenMs = hour === 11 ? startMs + 41 * MINUTE_MS : null
    const untilMs = brokenMs ?? startMs + HOUR_MS
    const heard: Heard[] = []
    for (let atMs = startMs; atMs < untilMs; ) {
      const { title, artist, duration } = tracks[(turn++ * 7) % tracks.length]!
      const isLive = hour === 17 && atMs < startMs + 30 * MINUTE_MS
      const frame = Math.floor(atMs / FRAME_MS)
      const order =
        turn % 9 === 3
          ? ({ type: 'donated', id: null } as const)
          : turn % 5 === 1
            ? ({ type: 'requested', id: null } as const)
            : null
      heard.push({
        frame,
        atMs,
        kind: 'track',
        title,
        artist,
        speakers: isLive ? ['Ihor', 'Daryna'] : [],
        order,
      })
      atMs += (duration ?? 180) * 1000
      if (turn % 4 === 0 && atMs < untilMs) {
        const jingle = { title: 'Station call', artist: '', speakers: [], order: null }
        heard.push({ frame: Math.floor(atMs / FRAME_MS), atMs, kind: 'jingle', ...jingle })
        atMs += 9_000
      }
    }
    await writeHour(media, startMs, untilMs, heard)
  }
}

async function writeHour(media: string, atMs: number, untilMs: number, heard: Heard[]): Promise<void> {
  const [frame, end] = [Math.floor(atMs / FRAME_MS), Math.floor(untilMs / FRAME_MS)]
  const part: StoredPart = {
    key: '' as never,
    hour: hourOf(atMs),
    frame,
    frames: end - frame,
    atMs,
    bytes: 0,
  }
  const { key, index } = hourKeys([part])
  const pieces = [{ ...part, byte: 0, endMs: endMsOf(part) }]
  const path = join(media, key)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, '')
  await writeFile(join(media, index), indexLines(part.hour, { pieces, heard }))
}
