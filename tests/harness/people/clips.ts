import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { createAdminTokens } from '../../../apps/api/src/auth/admin-tokens.ts'
import { makeTone } from '../audio/audio.ts'
import { temporaryFolder } from '../processes/processes.ts'
import { openApp } from '../stations/app.ts'
import { startJobs } from '../stations/workers.ts'

const ON = {
  STREAM_MODE: 'true',
  RADIO_HOSTS_MODE: 'true',
  ADMIN_LOGIN: 'admin',
  ADMIN_PASS: 'Correct horse 1',
}

/** A station with jobs, and a way to ask it as the super admin. */
export async function openStation(t: Test, env: Record<string, string> = {}) {
  const station = await openApp(t, { ...ON, ...env })
  await startJobs(t, station.ports)
  const adminTokens = createAdminTokens(station.app.jwt, station.ports.config.jwtSecret, station.ports.clock)
  const token = adminTokens.issue({
    adminId: 'super',
    login: 'admin',
    role: 'super_admin',
    privileges: [],
    authorized: true,
  })
  const authorization = `Bearer ${token}`
  const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const headers = { authorization }
    const answer = await station.app.inject({
      method,
      url: `/api/admin/${path}`,
      headers,
      ...(body && { payload: body }),
    })
    const type = answer.headers['content-type']
    return {
      status: answer.statusCode,
      type,
      body: answer.json() as Record<string, never> & { error: object },
    }
  }
  const upload = async (family: string, name: string, bytes: Buffer, query = '', type = 'audio/mpeg') => {
    const headers = { authorization, 'content-type': type, 'x-file-name': encodeURIComponent(name) }
    const answer = await station.app.inject({
      method: 'POST',
      url: `/api/admin/${family}/upload${query}`,
      headers,
      payload: bytes,
    })
    return { status: answer.statusCode, body: answer.json() as Record<string, never> }
  }
  return { ...station, adminTokens, token, ask, upload }
}

export async function tone(t: Test, seconds: number): Promise<Buffer> {
  const path = join(await temporaryFolder(t), 'tone.mp3')
  await makeTone(path, { hz: 440, seconds, title: 'x', artist: 'y' })
  return readFile(path)
}
