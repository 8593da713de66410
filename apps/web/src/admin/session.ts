import type { Reply, session } from '@solstice/contracts'
import { ApiError, fetchJson } from '../api.ts'
import { readStored, removeStored, writeStored } from '../ui/browser-storage.ts'

type Verified = Reply<typeof session.verify>

/** The token that stations outside production answer with; production has a cookie only. Lives as long as the tab. */
const TOKEN = 'admin_token'

export const storedToken = (): string | null => readStored(TOKEN, 'sessionStorage')

/** @throws as `fetchJson` */
function call<T>(path: string, method = 'GET', body?: object): Promise<T> {
  const token = storedToken()
  return fetchJson(path, { method, body, headers: token ? { Authorization: `Bearer ${token}` } : {} })
}

/** @throws {ApiError} with the text to show: wrong login or password, or too many attempts. */
export async function logIn(login: string, password: string): Promise<void> {
  removeStored(TOKEN, 'sessionStorage')
  const { token } = await call<Reply<typeof session.login>>('/api/admin/login', 'POST', { login, password })
  if (token) writeStored(TOKEN, token, 'sessionStorage')
}

export async function logOut(): Promise<void> {
  await call('/api/admin/logout', 'POST').catch(() => {})
  removeStored(TOKEN, 'sessionStorage')
}

/** The admin who is logged in; null when nobody is. @throws {TypeError} when the station can't be reached. */
export async function verifySession(): Promise<Verified | null> {
  try {
    return await call<Verified>('/api/admin/verify')
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}
