import { openSocket, type SocketClient } from '../../tests/harness/people/socket-client.ts'
import type { Teardown } from '../../tests/harness/processes/processes.ts'
import type { Stage } from './station.ts'

const LISTENERS = 31
/** Time in which they come, so that their number is a line with a slope. */
const COMING_MS = 9_000
const wishes = ['Depot Lights', 'Яблука на підвіконні', 'Two Minutes Late']

/** People at the station while the pictures are taken. */
export interface Audience {
  admin: SocketClient
  /** Asks for songs, unless they were asked for and wait still. */
  ask(): Promise<void>
}

/** Lets an admin fill the queue, and listeners come. */
export async function comeIn(t: Teardown, stage: Stage): Promise<Audience> {
  const songs = await stage.ask<{ id: string; title: string }[]>('GET songs?mode=day')
  const idOf = (title: string) => songs.find((song) => song.title === title)!.id
  const admin = openSocket(t, stage.url)
  admin.socket.emit('admin_active', stage.token)
  await admin.first('admin_confirmed')
  const add = async (title: string, how: object) => {
    admin.forget()
    admin.socket.emit('admin_add_song', { id: idOf(title), ...how })
    await admin.firstOf(['admin_success', 'admin_error'])
  }
  await add('Semaphore', { orderType: 'donated', tier: 2 })
  await add('Столик біля вікна', { orderType: 'donated', tier: 1 })
  await add('Puddle Choir', { orderType: 'lastinline' })
  await add('Plum Jam', { orderType: 'lastinline' })

  const listeners: SocketClient[] = []
  for (let i = 0; i < LISTENERS; i++) {
    const listener = openSocket(t, stage.url, { headers: { 'x-forwarded-for': `198.51.100.${i + 1}` } })
    listener.socket.emit('listener_init')
    await listener.first('listener_uid')
    listeners.push(listener)
    await new Promise((resolve) => setTimeout(resolve, COMING_MS / LISTENERS))
  }
  return {
    admin,
    async ask() {
      for (const [i, title] of wishes.entries()) await listeners[i]!.ask('suggest_song', { id: idOf(title) })
    },
  }
}
