import type { Reply, session } from '@solstice/contracts'
import { ApiError, apiUrl } from '../api.ts'

type Verified = Reply<typeof session.verify>

/** Where a browser keeps the token that a station outside production answers with, for as long as its tab lives. */
const TOKEN = 'admin_token'

/** The token for the socket; without one the cookie counts. */
export function storedToken(): string | null {
  try {
    return sessionStorage.getItem(TOKEN)
  } catch {
    return null
  }
}

function keepToken(token: string | null): void {
  try {
    if (token) sessionStorage.setItem(TOKEN, token)
    else sessionStorage.removeItem(TOKEN)
  } catch {
    // The cookie alone has to do.
  }
}

/** @throws {ApiError} when the station says no, {TypeError} when it cannot be reached. */
async function call<T>(path: string, init: RequestInit = {}): Promise<T> {
  const token = storedToken()
  const response = await fetch(apiUrl(path), {
    ...init,
    credentials: 'include',
    headers: {
      ...(init.body ? { 'Content-Type': 'application/json' } : {}),
      ...(token && { Authorization: `Bearer ${token}` }),
    },
  })
  const body = await response.json().catch(() => null)
  if (!response.ok) throw new ApiError(response.status, body)
  return body as T
}

/** @throws {ApiError} with what is to be told: wrong login or password, or too many attempts. */
export async function logIn(login: string, password: string): Promise<void> {
  keepToken(null)
  const body = JSON.stringify({ login, password })
  const { token } = await call<Reply<typeof session.login>>('/api/admin/login', { method: 'POST', body })
  keepToken(token ?? null)
}

export async function logOut(): Promise<void> {
  await call('/api/admin/logout', { method: 'POST' }).catch(() => {})
  keepToken(null)
}

/** Who is logged in; null when nobody is. @throws {TypeError} when the station cannot be reached. */
export async function verifySession(): Promise<Verified | null> {
  try {
    return await call<Verified>('/api/admin/verify')
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}
