import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { failureBody, Participant, Privilege } from '@solstice/contracts'
import t, { type Test } from 'tap'
import { makeTone } from '../../audio/audio.ts'
import { SUPER_ADMIN } from '../../people/admin.ts'
import type { SocketClient } from '../../people/socket-client.ts'
import { temporaryFolder } from '../../processes/processes.ts'
import { openReplica } from '../replica.ts'
import { startAir } from '../workers.ts'

/** Always day, and behind a proxy, so that tests can use several addresses; no hosts. */
export const WITHOUT_HOSTS = {
  ...SUPER_ADMIN,
  NIGHT_MODE: 'false',
  STREAM_MODE: 'true',
  TRUST_PROXY_HOPS: '1',
  MEDIA_STORAGE: 'local',
}
export const HOSTING = {
  ...WITHOUT_HOSTS,
  RADIO_HOSTS_MODE: 'true',
  MAX_LIVE_HOST_SLOTS: '4',
  QUEUE_ADD_COOLDOWN_S: '0',
  QUEUE_SKIP_COOLDOWN_S: '0',
  QUEUE_REMOVE_COOLDOWN_S: '0',
  GUEST_REQUEST_COOLDOWN_S: '600',
}
export const HOST: Privilege[] = ['radio_host']
export const MODERATOR: Privilege[] = ['radio_moderator']
/** Name of the account made for `HOST` or `MODERATOR`. */
export const HOST_LOGIN = 'helper with radio_host'
export const MODERATOR_LOGIN = 'helper with radio_moderator'

/** Addresses of the listeners. */
export const LISTENER_ADDRESS = '203.0.113.9'
export const GUEST_ADDRESS = '2001:db8:1:2::5'
export const SONGS = ['a', 'b', 'c'].map((name) => `day/${name}.mp3`)

/**
 * A station of two replicas, on air with three songs of five minutes, and sockets of every kind on both; nobody is live,
 * and no events are recorded yet.
 */
export async function openLiveStation(t: Test) {
  const one = await openReplica(t, HOSTING)
  const two = await openReplica(t, HOSTING, one)
  const { config, data } = one.ports
  await Promise.all(
    SONGS.map(async (id, i) => {
      const file = join(config.mediaDir, 'music', id)
      await mkdir(dirname(file), { recursive: true })
      await copyFile(await fiveMinutes(i), file)
      await one.addTrack(id, null, { duration: 300, artist: id })
    }),
  )
  const air = await startAir(t, one.ports)
  await air.until(({ hosting }) => hosting.isOn)

  const [host, boss, third, moderator, idle] = await Promise.all([
    one.joinAs(HOST),
    two.joinAs(),
    two.joinAs(['radio_host', 'stats']),
    two.joinAs(MODERATOR),
    one.joinAs(['stats']),
  ])
  const [listener, guest, other] = await Promise.all([
    one.join(LISTENER_ADDRESS),
    two.join(GUEST_ADDRESS),
    one.join('198.51.100.7'),
  ])
  const everybody = [host, boss, third, moderator, idle, listener, guest, other]
  const forget = () => {
    for (const client of everybody) client.forget()
  }
  return {
    ...{ one, two, air, data, config, bus: one.ports.bus },
    ...{ host, boss, third, moderator, idle, listener, guest, other, everybody },
    forget,
    uidOf: (address: string) => one.tokens.uidOf(address),
    logged: async (operationType: string): Promise<Record<string, unknown>[]> =>
      (await data.audit.find({ operationType })).map(({ adminLogin, data }) => ({ adminLogin, ...data })),
    /** Puts these songs on air one after the other, and forgets all events recorded so far. */
    async goLive(...clients: SocketClient[]) {
      for (const client of clients) await client.ask('admin_go_live')
      const areAllThere = (roster: Participant[]) => roster.length === clients.length
      await Promise.all([host, moderator].map((one) => one.first('live_hosts_roster', areAllThere)))
      await Promise.all(
        everybody.map((one) => one.first('radio_hosts_online', (isOnline) => isOnline === true)),
      )
      await Promise.all(everybody.map(settled))
      forget()
    },
  }
}

const tones = new Map<number, Promise<string>>()
/** A song with a pitch of its own, made once. */
function fiveMinutes(i: number): Promise<string> {
  const made = tones.get(i) ?? makeSong(i)
  tones.set(i, made)
  return made
}

async function makeSong(i: number): Promise<string> {
  const file = join(await temporaryFolder(t), `${i}.mp3`)
  await makeTone(file, { hz: 220 * (i + 1), seconds: 300, isMono: true })
  return file
}

/** Resolves when a socket has received all earlier events. */
export const settled = (client: SocketClient) => client.ask('stream_ping', 1)

/** The acknowledgement of an event, or null when a later request is answered first. */
export async function answerTo(client: SocketClient, event: string, ...args: unknown[]): Promise<unknown> {
  let answer: unknown = null
  client.socket.emit(event, ...args, (given: unknown) => {
    answer = given
  })
  await settled(client)
  return answer
}

export const refused = (code: Parameters<typeof failureBody>[0], details = {}) => ({
  error: { code, ...details, uk: /\S/, en: /\S/ },
})

/** A host in the form that everybody receives. */
export const asHost = (client: SocketClient, login: string, muted = false): Participant => {
  return { id: String(client.socket.id), login, role: 'host', muted }
}
