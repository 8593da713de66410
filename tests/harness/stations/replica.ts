import type { Privilege } from '@solstice/contracts'
import { pino } from 'pino'
import type { Test } from 'tap'
import { asAdmin } from '../people/admin.ts'
import { openSocket, type SocketClient } from '../people/socket-client.ts'
import { type OpenApp, openApp } from './app.ts'

export interface Replica extends OpenApp {
  /** A socket from this address that has received all the events of a new connection. */
  join(address?: string): Promise<SocketClient>
  /** An admin socket: the super admin unless privileges are given. */
  joinAs(privileges?: Privilege[]): Promise<SocketClient>
}

/** The API in this process, listening. @param env needs `TRUST_PROXY_HOPS` where a test uses several addresses. */
export async function openReplica(t: Test, env: Record<string, string>, beside?: OpenApp): Promise<Replica> {
  const open = await openApp(t, env, pino({ level: 'silent' }), beside)
  const url = await open.app.listen({ port: 0, host: '127.0.0.1' })
  const join = async (address = '203.0.113.1') => {
    const client = openSocket(t, url, { headers: { 'x-forwarded-for': address } })
    await client.first(open.ports.config.radioHostsMode ? 'radio_hosts_online' : 'radio_hosts_mode')
    return client
  }
  return {
    ...open,
    join,
    async joinAs(privileges) {
      const client = await join()
      client.socket.emit('admin_active', (await asAdmin(open, privileges)).token)
      await client.first('admin_confirmed')
      // Answered after the events of the activation.
      await client.ask('stream_ping', 1)
      return client
    },
  }
}
