import { failures, type Privilege } from '@solstice/contracts'
import { createAdminTokens } from '../../../apps/api/src/auth/admin-tokens.ts'
import type { OpenApp } from '../stations/app.ts'
import type { SocketClient } from './socket-client.ts'

/** Configuration for `openApp` that creates a super admin. */
export const SUPER_ADMIN = { ADMIN_LOGIN: 'admin', ADMIN_PASS: 'Correct horse 1' }

export interface Answer {
  status: number
  headers: Record<string, unknown>
  bytes: Buffer
  /** The JSON of the reply; undefined when it was something else. */
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it expects
  body: any
}

/** Sends a request, such as `POST /api/admin/…`, with this token; a body of bytes goes out under the given content type. */
export type Ask = (
  request: string,
  body?: object | Uint8Array,
  headers?: Record<string, string>,
) => Promise<Answer>

/** Token and requester of the super admin, or of a helper with exactly `privileges` when these are given. */
export async function asAdmin(
  { app, ports }: OpenApp,
  privileges?: Privilege[],
): Promise<{ token: string; ask: Ask }> {
  const tokens = createAdminTokens(app.jwt, ports.config.jwtSecret, ports.clock)
  const adminId = privileges ? `helper with ${privileges.join() || 'nothing'}` : 'super'
  const about = { adminId, login: adminId, privileges: privileges ?? [], authorized: true }
  if (privileges) {
    const times = { createdAt: 0, updatedAt: 0, temporarySinceMs: 0 }
    await ports.data.admins.put({ ...about, privileges, loginKey: adminId, passwordHash: '-', ...times })
  }
  const token = tokens.issue({ ...about, role: privileges ? 'admin' : 'super_admin' })
  const ask: Ask = async (request, body, headers = {}) => {
    const [method, url] = request.split(/ (.*)/s) as ['GET' | 'POST' | 'PUT' | 'DELETE', string]
    const payload = body instanceof Uint8Array ? Buffer.from(body) : body
    const answer = await app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(payload && { payload }),
    })
    const isJson = String(answer.headers['content-type']).startsWith('application/json')
    return {
      status: answer.statusCode,
      headers: answer.headers,
      bytes: answer.rawPayload,
      body: isJson ? answer.json() : undefined,
    }
  }
  return { token, ask }
}

/** Sends an admin's command, and returns the reply. @throws when the reply is incomplete or breaks the contract. */
export async function command(
  client: SocketClient,
  event: string,
  ...args: unknown[]
): Promise<Record<string, unknown>> {
  client.forget()
  client.socket.emit(event, ...args)
  const reply = JSON.parse(await client.firstOf<string>(['admin_success', 'admin_error']))
  const isWhole = [reply.uk, reply.en].every((text) => /^[^{}]+$/.test(text))
  const isRightEvent = reply.code in failures === (client.all('admin_error').length === 1)
  if (!isWhole || !isRightEvent) throw new Error(JSON.stringify(client.heard))
  return reply
}
