import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { openApp } from '../stations/app.ts'

export const PASSWORD = 'Correct horse 1'
export const SUPER = { ADMIN_LOGIN: 'Admin', ADMIN_PASS: PASSWORD, LOGIN_ATTEMPTS_PER_15_MIN: '0' }

interface Asked {
  body?: unknown
  token?: string
  headers?: Record<string, string>
}

/** Asks an app under `/api/admin/`. */
export const asker =
  (app: FastifyInstance) =>
  async (request: string, asked: Asked = {}) => {
    const [method, path] = request.split(' ') as ['GET' | 'POST' | 'PUT' | 'DELETE', string]
    const { body, token, headers } = asked
    const answer = await app.inject({
      method,
      url: `/api/admin/${path}`,
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
      ...(body !== undefined && {
        payload: typeof body === 'string' ? body : JSON.stringify(body),
        headers: {
          'content-type': 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
          ...headers,
        },
      }),
    })
    return {
      status: answer.statusCode,
      headers: answer.headers,
      cookie: answer.headers['set-cookie']?.toString(),
      body: answer.json() as Record<string, never> & { error: { code: string }; token: string },
    }
  }

/** A station with a super admin who is logged in, and a way to make helpers that are. */
export async function openStation(t: Test, env: Record<string, string> = {}) {
  const station = await openApp(t, { ...SUPER, ...env })
  const ask = asker(station.app)
  const logIn = async (login: string, password: string) => {
    const { body } = await ask('POST login', { body: { login, password } })
    return body.token
  }
  const token = await logIn('Admin', PASSWORD)
  /** A helper who has replaced `Temporary1` by `Own password 1`. */
  const addHelper = async (login: string, granted: string[] = []) => {
    const body = { login, password: 'Temporary1', privileges: granted }
    const { admin } = (await ask('POST admins', { token, body })).body as unknown as {
      admin: { adminId: string }
    }
    const own = await logIn(login, 'Temporary1')
    const passwords = { tempPassword: 'Temporary1', newPassword: 'Own password 1' }
    await ask('POST admins/self/activate', { token: own, body: passwords })
    return { adminId: admin.adminId, token: own }
  }
  let read = 0
  /** The audit entries since the last call, without logins and logouts. */
  const audited = async () => {
    const ofLogins = /^admin_(login|login_failed|logout)$/
    const all = (await station.ports.data.audit.find()).filter((entry) => !ofLogins.test(entry.operationType))
    const entries = all.slice(read)
    read += entries.length
    return entries.map(({ adminId, adminLogin, operationType, data }) => ({
      adminId,
      adminLogin,
      operationType,
      data,
    }))
  }
  return { ...station, ask, logIn, token, addHelper, audited }
}
