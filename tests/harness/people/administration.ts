import { randomUUID } from 'node:crypto'
import type { AuditEntry, Privilege, Track } from '@solstice/contracts'
import type { Test } from 'tap'
import { createAdminTokens } from '../../../apps/api/src/auth/admin-tokens.ts'
import type { Teardown } from '../processes/processes.ts'
import { openApp } from '../stations/app.ts'

/** Status and body of a reply. */
interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the body of any route
  body: any
}

/** A station with a library, and ways to send requests as the super admin or as a helper. */
export async function openStation(t: Teardown, env: Record<string, string> = {}) {
  const station = await openApp(t, { ADMIN_LOGIN: 'boss', ADMIN_PASS: 'Correct horse 1', ...env })
  const { app, ports } = station
  const { data } = ports
  const tokens = createAdminTokens(app.jwt, ports.config.jwtSecret, ports.clock)
  const askAs =
    (token: string) =>
    async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object): Promise<Answer> => {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await app.inject({
        method,
        url: `/api/admin/${path}`,
        headers,
        ...(payload && { payload }),
      })
      return { status: answer.statusCode, body: answer.json() }
    }
  const issue = (adminId: string, role: 'admin' | 'super_admin') =>
    tokens.issue({ adminId, login: 'x', role, privileges: [], authorized: true })
  const helper = async (login: string, ...privileges: Privilege[]) => {
    const adminId = randomUUID()
    const account = { adminId, login, loginKey: login, privileges, authorized: true, passwordHash: '' }
    await data.admins.put({ ...account, createdAt: 0, updatedAt: 0, temporarySinceMs: 0 })
    return Object.assign(askAs(issue(adminId, 'admin')), { adminId })
  }
  const addTracks = (mode: 'day' | 'night', artist: string, count: number, duration: number | null) =>
    Promise.all(
      Array.from({ length: count }, (_, i) => {
        const filename = `${artist} - ${String(i).padStart(2, '0')}.mp3`
        const id = `${mode}/${filename}`
        const about = { title: `Song ${i}`, album: 'Album', year: 2000 + i }
        const track: Track = { id, artist, ...about, duration, mode, filename, storageKey: id }
        return data.tracks.insert(track)
      }),
    )
  const auditLog = (): Promise<readonly (AuditEntry & { data: Record<string, unknown> })[]> =>
    data.audit.find()
  return { ...station, data, ask: askAs(issue('super', 'super_admin')), helper, addTracks, auditLog }
}

/** A station with songs of five artists, 110 minutes by day; before each test its settings are the defaults. */
export async function openLibraryStation(t: Test) {
  const station = await openStation(t)
  const { ask, addTracks, data } = station
  await Promise.all([
    addTracks('day', 'Ann', 20, 180),
    addTracks('day', 'Bob', 10, 240),
    addTracks('day', 'Cat', 5, 120.5),
    addTracks('night', 'Owl', 20, 300),
    addTracks('night', 'Bat', 1, null),
  ])
  t.beforeEach(async () => {
    await data.settings.delete(() => true)
  })
  return { ...station, save: (body: object) => ask('POST', 'settings', body) }
}

/** The reply to a value that a field rejects. */
export const refusal = (field: string, reason?: string) => ({
  status: 400,
  body: { error: { code: 'BAD_REQUEST', field, ...(reason && { reason }) } },
})
