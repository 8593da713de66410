import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sleep } from '@solstice/station'
import { makeTone } from '../../tests/harness/audio/audio.ts'
import { cut, makeRecording } from '../../tests/harness/audio/recording.ts'
import { SUPER_ADMIN } from '../../tests/harness/people/admin.ts'
import { openSocket, type SocketClient } from '../../tests/harness/people/socket-client.ts'
import { logIn } from '../../tests/harness/people/uploads.ts'
import { type Teardown, temporaryFolder } from '../../tests/harness/processes/processes.ts'

const UPLOAD_S = 20
const TALK_S = 10
/** Pauses of the admin and the host. The warm-up is busy: V8 is to have compiled what their work needs when it is over. */
const AT_WORK = { adminMs: 10_000, talkMs: 50_000 }
const WARMING_UP: typeof AT_WORK = { adminMs: 500, talkMs: 5_000 }
const PIECE_MS = 150
/** People log in once in so long. */
const LOGGED_IN_MS = 3_600_000
/** Songs are played more slowly than the admin queues them: all but one in so many are removed again, so that the queue doesn't grow. */
const QUEUED_PER_KEPT = 24

/** Actions of people at work, and the failed ones. */
export interface Work {
  readonly done: Record<string, number>
  readonly failed: string[]
}

/** An admin who queues, changes settings and uploads, and a host who talks once a minute, until `signal`; more often for `warmUpMs`. */
export function startWork(run: Teardown, url: string, warmUpMs: number, signal: AbortSignal): Work {
  const work: Work = { done: {}, failed: [] }
  const warmUntilMs = performance.now() + warmUpMs
  const pause: Workplace['pause'] = (of) => {
    const ms = (performance.now() < warmUntilMs ? WARMING_UP : AT_WORK)[of]
    return sleep(ms, { signal }).catch(() => {})
  }
  const attempt: Workplace['attempt'] = async (what, act) => {
    try {
      await act()
      work.done[what] = (work.done[what] ?? 0) + 1
    } catch (error) {
      if (!signal.aborted) work.failed.push(`${what}: ${error instanceof Error ? error.message : error}`)
    }
  }
  const place = { run, url, signal, attempt, pause }
  void administer({ ...place, token: openLogin(url) })
  void talk({ ...place, token: openLogin(url) })
  return work
}

/** The station that they work at. */
interface Workplace {
  run: Teardown
  url: string
  signal: AbortSignal
  token: () => Promise<string>
  /** Counts an action, or what it failed of. */
  attempt(what: string, act: () => Promise<void>): Promise<void>
  pause(of: keyof typeof AT_WORK): Promise<void>
}

async function administer({ run, url, signal, token, attempt, pause }: Workplace): Promise<void> {
  const file = join(await temporaryFolder(run), 'upload.mp3')
  await makeTone(file, { hz: 900, seconds: UPLOAD_S, isMono: true })
  const bytes = await readFile(file)
  for (let turn = 0; !signal.aborted; turn++) {
    await attempt('settings', async () => {
      const ask = asAdmin(url, await token())
      await ask('POST', 'settings', JSON.stringify({ artistArts: { dayEnabled: turn % 2 === 0 } }))
    })
    await pause('adminMs')
    await attempt('queue', async () =>
      asSocket(run, url, await token(), async (client) => {
        const position = 1 + (turn % 5)
        const song = { id: `day/Song ${turn % 10}.mp3`, orderType: 'lastinline', position }
        const isQueued = await command(client, 'admin_add_song', song)
        if (isQueued && turn % QUEUED_PER_KEPT !== 0) await command(client, 'admin_remove_song', position)
      }),
    )
    await pause('adminMs')
    await attempt('upload', async () => upload(asAdmin(url, await token()), `Upload ${turn}`, bytes))
    await pause('adminMs')
  }
}

/** Resolves with false when the command is refused, as a song is that stands next to its place already. */
async function command({ socket, heard, forget, firstOf }: SocketClient, event: string, payload: unknown) {
  forget()
  socket.emit(event, payload)
  await firstOf(['admin_success', 'admin_error'])
  return heard.some((one) => one.event === 'admin_success')
}

/** Uploads a track and deletes it again, so that the library stays as large as it is. */
async function upload(ask: ReturnType<typeof asAdmin>, title: string, bytes: Buffer): Promise<void> {
  const headers = { 'content-type': 'audio/mpeg', 'x-file-name': encodeURIComponent(`${title}.mp3`) }
  const { metadata } = (await ask('POST', 'upload-song-file', bytes, headers)) as { metadata: object }
  const about = { ...metadata, title, artist: 'Soak', album: 'Soak', year: 2026 }
  const commit = JSON.stringify({ metadata: about })
  const { track } = (await ask('POST', 'upload-song-commit', commit)) as { track: { id: string } }
  await ask('DELETE', `song-editor?songId=${encodeURIComponent(track.id)}`)
}

async function talk({ run, url, signal, token, attempt, pause }: Workplace): Promise<void> {
  // The monitor would hear a lasting tone as a block that comes again and again.
  const pieces = cut(await makeRecording('anoisesrc=color=pink:amplitude=0.5', TALK_S), TALK_S, PIECE_MS)
  while (!signal.aborted) {
    await pause('talkMs')
    await attempt('microphone', async () =>
      asSocket(run, url, await token(), async (client) => {
        const answer = (await client.ask('admin_go_live')) as { ok: boolean }
        if (!answer.ok) throw new Error(JSON.stringify(answer))
        client.socket.emit('host_mic_toggle', { on: true })
        for (const piece of pieces) {
          client.socket.emit('host_audio_chunk', piece)
          await sleep(PIECE_MS, { signal }).catch(() => {})
        }
        client.socket.emit('host_mic_toggle', { on: false })
        client.socket.emit('admin_leave_live')
        await client.ask('stream_ping', 1)
      }),
    )
  }
}

/** The token of the super admin, who logs in anew now and then. */
function openLogin(url: string): Workplace['token'] {
  let token = ''
  let untilMs = 0
  return async () => {
    if (performance.now() >= untilMs) {
      token = await logIn(url, SUPER_ADMIN.ADMIN_LOGIN, SUPER_ADMIN.ADMIN_PASS)
      untilMs = performance.now() + LOGGED_IN_MS
    }
    return token
  }
}

/** Asks as the super admin. @throws with the answer when it is refused. */
function asAdmin(url: string, token: string) {
  return async (
    method: string,
    path: string,
    body?: string | Buffer<ArrayBuffer> | Buffer,
    headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {},
  ): Promise<unknown> => {
    const answer = await fetch(`${url}/api/admin/${path}`, {
      ...{ method, headers: { authorization: `Bearer ${token}`, ...headers } },
      ...(body && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text.slice(0, 200)}`)
    return JSON.parse(text)
  }
}

async function asSocket(
  run: Teardown,
  url: string,
  token: string,
  act: (client: SocketClient) => Promise<void>,
): Promise<void> {
  const client = openSocket(run, url)
  try {
    client.socket.emit('admin_active', token)
    await client.first('admin_confirmed')
    await act(client)
  } finally {
    client.socket.disconnect()
    client.forget()
  }
}
