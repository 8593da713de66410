import { createPasswords } from '@solstice/adapters'
import type { AuditEntry, Participant, Privilege, RadioState, ServerPayload } from '@solstice/contracts'
import t from 'tap'
import { openEar } from '../harness/audio/ear.ts'
import { cut, makeRecording } from '../harness/audio/recording.ts'
import { openSocket, type SocketClient } from '../harness/people/socket-client.ts'
import { listen, prepareStation, type Station, splitIcy } from '../harness/stations/station.ts'

const RECORDING_S = 30
const PASSWORD = 'Correct horse 1'
const FILLER = { hz: 600, seconds: 40 }
/** Longer than the whole test, so that a song ends only where the test ends it. */
const songs = [
  { name: 'Low', hz: 300, seconds: 200 },
  { name: 'High', hz: 400, seconds: 200 },
]
const pitches = { low: 300, high: 400, filler: FILLER.hz, host: 1000, guest: 1500 }
type Levels = Record<keyof typeof pitches, number>

/** Loudness of music under speech. */
const DUCKED = 0.16
const isNear = (level: number, expected: number, share: number) =>
  Math.abs(level - expected) <= share * expected

/** Two helpers, and background music for talks. */
async function addPeopleAndMusic(station: Station) {
  const [data, passwordHash] = await Promise.all([
    station.openData(),
    createPasswords().hash(PASSWORD),
    station.addClip('background-music', 'piano.mp3', FILLER),
  ])
  const helpers: Record<string, Privilege[]> = {
    olena: ['radio_host', 'queue_manage'],
    taras: ['radio_moderator'],
  }
  for (const [login, privileges] of Object.entries(helpers)) {
    const times = { createdAt: 0, updatedAt: 0, temporarySinceMs: 0 }
    const who = { adminId: login, login, loginKey: login, passwordHash, privileges, authorized: true }
    await data.admins.put({ ...who, ...times })
  }
  await data.close()
}

async function logIn(url: string, login: string): Promise<string> {
  const answer = await fetch(`${url}/api/admin/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login, password: PASSWORD }),
  })
  return ((await answer.json()) as { token: string }).token
}

/** A recorder: it sends the pieces of a recording in real time, and starts again at its end. */
function openRecorder(client: SocketClient, recording: Buffer, pieceMs: number) {
  const pieces = cut(recording, RECORDING_S, pieceMs)
  let timer: NodeJS.Timeout | undefined
  let isConnected = true
  const recorder = {
    start() {
      clearInterval(timer)
      const sinceMs = performance.now()
      let sent = 0
      timer = setInterval(() => {
        for (; sent < Math.floor((performance.now() - sinceMs) / pieceMs); sent++)
          if (isConnected) client.socket.emit('host_audio_chunk', pieces[sent % pieces.length])
      }, 20)
    },
    stop: () => clearInterval(timer),
    /** Pieces recorded meanwhile are lost. */
    cut(isCut: boolean) {
      isConnected = !isCut
    },
    speak() {
      client.socket.emit('host_mic_toggle', { on: true })
      recorder.start()
    },
    fallSilent() {
      client.socket.emit('host_mic_toggle', { on: false })
      recorder.stop()
    },
  }
  t.teardown(recorder.stop)
  return recorder
}

t.test('hosts and guests stay on air whichever process dies', async (t) => {
  const station = await prepareStation(t, songs, {
    RADIO_HOSTS_MODE: 'true',
    MAX_LIVE_HOST_SLOTS: '3',
    QUEUE_SKIP_COOLDOWN_S: '0',
    TRUST_PROXY_HOPS: '1',
    ADMIN_LOGIN: 'admin',
    ADMIN_PASS: PASSWORD,
  })
  await addPeopleAndMusic(station)
  const ear = await openEar(t, station, pitches)
  const recordings = Promise.all(
    [pitches.host, pitches.guest].map((hz) => makeRecording(`sine=frequency=${hz}`, RECORDING_S)),
  )
  const [one, two, worker] = await Promise.all([
    station.startApi(),
    station.startApi(),
    station.startWorker(),
    station.startJobs(),
  ])
  await worker.printed(/the station is on air/)
  const standby = await station.startWorker()
  const [hostSound, guestSound] = (await recordings) as [Buffer, Buffer]

  const joinAs = async (url: string, login: string) => {
    const client = openSocket(t, url)
    client.socket.emit('admin_active', await logIn(url, login))
    await client.first('admin_confirmed')
    return client
  }
  const [host, moderator] = await Promise.all([joinAs(one.url, 'olena'), joinAs(two.url, 'taras')])
  const guest = openSocket(t, two.url, { headers: { 'x-forwarded-for': '203.0.113.9' } })
  const special = openSocket(t, one.url, { headers: { 'x-forwarded-for': '203.0.113.10' } })
  const listener = openSocket(t, two.url)
  const icy = await listen(t, `${two.url}/api/stream/public.mp3`, { 'Icy-MetaData': '1' })
  const people = [host, moderator, guest, special, listener]
  const forget = () => {
    for (const client of people) client.forget()
  }
  const rosterOf = async () =>
    ((await moderator.ask('moderator_get_live_roster')) as { roster: Participant[] }).roster

  const songOf = ({ low, high }: Levels) => Math.max(low, high)
  const isSilent = (level: number) => level < 0.01
  const isHeard = (level: number) => level > 0.15
  const alone = await ear.hears((levels) => songOf(levels) > 0.2 && isSilent(levels.filler))
  const full = songOf(alone.at(-1)!.levels)
  const isFull = (level: number) => isNear(level, full, 0.1)
  const isDucked = (level: number) => isNear(level, full * DUCKED, 0.15)
  const onlyMusic = (levels: Levels) =>
    isFull(songOf(levels)) && isSilent(levels.host) && isSilent(levels.guest)
  const hostSpeaks = (levels: Levels) =>
    isDucked(songOf(levels)) && isHeard(levels.host) && isSilent(levels.guest)
  const bothSpeak = (levels: Levels) =>
    isDucked(songOf(levels)) && isHeard(levels.host) && isHeard(levels.guest)

  t.match(await host.ask('admin_go_live'), { ok: true, queuePaused: false, hosts: [{ login: 'olena' }] })
  const hostRecorder = openRecorder(host, hostSound, 150)
  host.socket.on('host_mic_restart', hostRecorder.start)
  hostRecorder.speak()
  await ear.hears(hostSpeaks)
  hostRecorder.cut(true)
  await ear.hears(onlyMusic)
  t.pass('a line that is cut does not hold the music down')
  hostRecorder.cut(false)
  await ear.hears(hostSpeaks)

  const targetId = host.socket.id
  t.same(await moderator.ask('moderator_mute', { targetId, muted: true }), { ok: true })
  await ear.hears(onlyMusic)
  t.same(await moderator.ask('moderator_mute', { targetId, muted: false }), { ok: true })
  await ear.hears(hostSpeaks)

  t.same(await guest.ask('guest_request', { nickname: 'Ївга' }), { ok: true })
  const [request] = await host.first<ServerPayload<'guest_queue_update'>>(
    'guest_queue_update',
    ({ length }) => length === 1,
  )
  t.same(await host.ask('admin_guest_action', { uid: request!.uid, action: 'accept' }), { ok: true })
  t.same(await guest.first('guest_request_result'), { accepted: true, nickname: 'Ївга' })
  t.match(await guest.ask('guest_connect'), { ok: true, role: 'guest' })
  const guestRecorder = openRecorder(guest, guestSound, 250)
  guestRecorder.speak()
  await ear.hears(bothSpeak)

  const made = (await host.ask('moderator_generate_guest_code', {})) as { code: string }
  const { code } = (await moderator.ask('moderator_get_guest_code')) as { code: string }
  t.equal(code, made.code)
  t.same(await special.ask('special_guest_connect', { code, nickname: 'Лев' }), { ok: true })
  t.match(await special.ask('guest_connect'), { ok: true, role: 'specialGuest' })
  await moderator.first<Participant[]>('live_hosts_roster', ({ length }) => length === 3)
  t.same(await moderator.ask('moderator_kick', { targetId: special.socket.id }), { ok: true })
  t.same(await special.first('guest_force_disconnect'), { reason: 'kick' })
  t.same(await moderator.ask('moderator_get_guest_code'), { code: null }, 'a kick ends the code')

  hostRecorder.fallSilent()
  guestRecorder.fallSilent()
  await ear.hears(onlyMusic)
  forget()
  const before = await listener.first<RadioState>('sync')
  host.socket.emit('host_pause_queue', { when: 'now' })
  await Promise.all(
    [host, guest].map(async (client) =>
      t.same(await client.first('host_queue_pause_state'), { paused: true }),
    ),
  )
  const [start] = await Promise.all(
    people.map((client) => client.first<{ serverTs: number }>('stream_chat_mode_start')),
  )
  const chat = await listener.first<RadioState>('sync', ({ title }) => title === 'Just chatting')
  t.match(chat, { track: before.track, artist: '', seek: 0, duration: 0, isPlaying: true })
  t.same(await listener.ask('stream_get_seek', 1), { seek: 0, duration: 0, trackId: before.track })
  await ear.hears((levels) => isFull(levels.filler) && isSilent(songOf(levels)))
  const around = (fromMs: number, toMs: number) =>
    ear.moments.filter(({ atMs }) => atMs > start!.serverTs + fromMs && atMs < start!.serverTs + toMs)
  t.ok(
    around(-450, -150).every(({ levels }) => isFull(songOf(levels)) && isSilent(levels.filler)),
    'until then the song is heard',
  )
  t.ok(
    around(1_000, 2_000).every(({ levels }) => isSilent(songOf(levels))),
    'it is gone within a second',
  )
  hostRecorder.speak()
  await ear.hears((levels) => isDucked(levels.filler) && isHeard(levels.host))

  forget()
  host.socket.emit('host_resume_queue')
  t.same(await guest.first('host_queue_pause_state'), { paused: false })
  const end = await listener.first<{ serverTs: number }>('stream_chat_mode_end')
  const after = await listener.first<RadioState>('sync', ({ title }) => title !== 'Just chatting')
  t.equal(after.track, before.track)
  const stoppedAtS = before.seek + (start!.serverTs - before.serverTimeMs) / 1000
  const wentOnAtS = after.seek - (after.serverTimeMs - end.serverTs) / 1000
  // A machine that mixes too late restarts its timeline in between.
  t.ok(Math.abs(wentOnAtS - stoppedAtS) < 2, `stopped at ${stoppedAtS} s, went on at ${wentOnAtS} s`)
  const { seek, trackId } = (await listener.ask('stream_get_seek', 1)) as { seek: number; trackId: string }
  t.ok(trackId === before.track && seek > stoppedAtS)
  const isSameSong = (levels: Levels) =>
    isSilent(before.track === 'day/Low.mp3' ? levels.high : levels.low) && isSilent(levels.filler)
  await ear.hears((levels) => hostSpeaks(levels) && isSameSong(levels))
  t.same(listener.all('stream_track_start'), [], 'it is the same song, not another start of it')

  guestRecorder.speak()
  await ear.hears((levels) => bothSpeak(levels) && isSameSong(levels))
  const roster = await rosterOf()
  forget()
  await worker.end('SIGKILL')
  await standby.printed(/the station is on air/)
  await host.first('host_mic_restart')
  await ear.hears((levels) => bothSpeak(levels) && isSameSong(levels))
  t.same(await rosterOf(), roster, 'people outlive the worker')
  t.same(
    [host, guest].flatMap((client) => client.all('live_hosts_roster')),
    [],
    'no event announces it',
  )

  forget()
  host.socket.emit('host_pause_queue', { when: 'afterTrack' })
  await guest.first('host_queue_pause_state', ({ paused }: { paused: boolean }) => paused)
  await ear.hears((levels) => bothSpeak(levels) && isSameSong(levels))
  t.same(listener.all('stream_chat_mode_start'), [], 'the song is heard to its end')
  host.socket.emit('admin_skip_song')
  await listener.first('stream_chat_mode_start')
  await ear.hears((levels) => isDucked(levels.filler) && isHeard(levels.host) && isHeard(levels.guest))

  forget()
  hostRecorder.stop()
  await one.process.end('SIGKILL')
  t.same(await guest.first('guest_force_disconnect'), { reason: 'no_hosts' })
  await listener.first('radio_hosts_online', (isOnline) => isOnline === false)
  await listener.first('stream_chat_mode_end')
  guestRecorder.stop()
  // Meanwhile the gain of the next song may have become known.
  await ear.hears(
    (levels) => songOf(levels) > 0.05 && isSilent(Math.max(levels.filler, levels.host, levels.guest)),
  )
  t.same(await rosterOf(), [])
  t.match(await guest.ask('guest_request', { nickname: 'Ївга' }), { error: 'no_admin' })

  const audit = await fetch(`${two.url}/api/admin/audit?limit=200`, {
    headers: { authorization: `Bearer ${await logIn(two.url, 'admin')}` },
  })
  const { entries } = (await audit.json()) as { entries: AuditEntry[] }
  const logged = entries.map(({ operationType, adminLogin, data }) => {
    const { reason } = data as { reason?: string }
    return [operationType, adminLogin, reason].filter(Boolean).join(' ')
  })
  const expected = [
    'radio_host_live_start olena',
    'guest_live_start Ївга',
    'guest_code_generate olena',
    'special_guest_live_start Лев',
    'special_guest_live_end Лев kick',
    'guest_kick taras',
    'radio_host_live_end olena self',
    'guest_live_end Ївга no_hosts',
  ]
  for (const entry of expected) t.equal(logged.filter((one) => one === entry).length, 1, entry)

  const { chunks } = ear
  const holes = chunks.filter((chunk, i) => i && chunk.frame !== chunks[i - 1]!.frame + chunks[i - 1]!.frames)
  t.same(holes, [], 'every frame number once')
  t.notOk(icy.response.destroyed, 'no listener was disconnected')
  const titles = splitIcy(icy.bytes(), 16_000).blocks.map(({ text }) => text)
  t.ok(titles.includes("StreamTitle='Just chatting';"))
})
