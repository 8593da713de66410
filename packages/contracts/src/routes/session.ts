import { Type } from 'typebox'
import { Localized } from '../localized.ts'
import { AdminSession, HelperAdmin, Privileges } from '../resources/admin.ts'
import { defineRoute } from '../route.ts'

const Login = Type.String({ maxLength: 200 })
const Password = Type.String({ maxLength: 200 })
const Done = Type.Object({ ok: Type.Literal(true), message: Localized })
const ById = Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) })
const Sessions = Type.Object({ ok: Type.Literal(true), sessions: Type.Array(AdminSession) })
const Message = { uk: 'Готово', en: 'Done' }
const HELPER = {
  adminId: '0b5f3f1e-6d3f-4d5c-9a39-2f6a4f9f3c11',
  login: 'olena',
  privileges: ['upload_songs', 'stats'],
  authorized: false,
  createdAt: 1_790_000_000_000,
  updatedAt: 1_790_000_000_000,
}

const SESSION = {
  id: '5a0c8f3e-1c5f-4f0b-9c53-0a4d5f1f7e21',
  createdAt: 1_790_000_000_000,
  lastSeenAt: 1_790_000_600_000,
  address: '192.0.2.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  current: true,
}

export const login = defineRoute({
  method: 'POST',
  path: '/api/admin/login',
  summary: 'Logs an admin in: sets the `adminToken` cookie and, outside production, also returns the token',
  access: 'public',
  body: Type.Object({ login: Type.Optional(Login), password: Type.Optional(Password) }),
  reply: Type.Object({ ok: Type.Literal(true), token: Type.Optional(Type.String()) }),
  failures: ['BAD_REQUEST', 'INVALID_CREDENTIALS', 'FORBIDDEN', 'RATE_LIMITED', 'AIR_UNAVAILABLE'],
  example: {
    body: { login: 'admin', password: 'Correct horse 1' },
    reply: { ok: true, token: 'eyJhbGciOi…' },
  },
})

export const logout = defineRoute({
  method: 'POST',
  path: '/api/admin/logout',
  summary: 'Ends the session and clears the cookie; its token and its admin sockets stop working',
  access: 'public',
  reply: Type.Object({ ok: Type.Literal(true) }),
  failures: ['FORBIDDEN'],
  example: { reply: { ok: true } },
})

export const verify = defineRoute({
  method: 'GET',
  path: '/api/admin/verify',
  summary: 'Returns the account of the token and its current privileges',
  access: 'session',
  reply: Type.Object({
    ok: Type.Literal(true),
    role: Type.Union([Type.Literal('super_admin'), Type.Literal('admin')]),
    adminId: Type.String(),
    login: Type.String(),
    privileges: Privileges,
    authorized: Type.Boolean(),
    token: Type.Optional(Type.String({ description: 'only outside production' })),
  }),
  failures: [],
  example: {
    reply: {
      ok: true,
      role: 'super_admin',
      adminId: 'super',
      login: 'admin',
      privileges: ['stats'],
      authorized: true,
    },
  },
})

export const listAdmins = defineRoute({
  method: 'GET',
  path: '/api/admin/admins',
  summary: 'Returns all helper admins',
  access: 'super',
  capability: 'helperAdmins',
  reply: Type.Object({ ok: Type.Literal(true), admins: Type.Array(HelperAdmin), allPrivileges: Privileges }),
  failures: [],
  example: { reply: { ok: true, admins: [HELPER], allPrivileges: ['queue_manage', 'artist_arts'] } },
})

export const createAdmin = defineRoute({
  method: 'POST',
  path: '/api/admin/admins',
  summary: 'Creates a helper admin with a temporary password; it always gets the `stats` privilege',
  access: 'super',
  capability: 'helperAdmins',
  body: Type.Object({ login: Login, password: Password, privileges: Type.Optional(Privileges) }),
  reply: Type.Object({ ok: Type.Literal(true), admin: HelperAdmin, message: Localized }),
  failures: ['BAD_REQUEST', 'RATE_LIMITED'],
  example: {
    body: { login: 'olena', password: 'Temporary1', privileges: ['upload_songs'] },
    reply: { ok: true, admin: HELPER, message: Message },
  },
})

export const deleteAdmin = defineRoute({
  method: 'DELETE',
  path: '/api/admin/admins/:id',
  summary: 'Deletes a helper admin; its sockets get `force_logout`',
  access: 'super',
  capability: 'helperAdmins',
  params: ById,
  reply: Done,
  failures: ['NOT_FOUND'],
  example: { reply: { ok: true, message: Message } },
})

export const setPrivileges = defineRoute({
  method: 'PUT',
  path: '/api/admin/admins/:id/privileges',
  summary: "Replaces a helper's privileges, effective at once",
  access: 'super',
  capability: 'helperAdmins',
  params: ById,
  body: Type.Object({ privileges: Privileges }),
  reply: Type.Object({ ok: Type.Literal(true), privileges: Privileges, message: Localized }),
  failures: ['BAD_REQUEST', 'NOT_FOUND'],
  example: {
    body: { privileges: ['editor_lyrics'] },
    reply: { ok: true, privileges: ['editor_lyrics', 'stats'], message: Message },
  },
})

export const resetPassword = defineRoute({
  method: 'PUT',
  path: '/api/admin/admins/:id/reset-password',
  summary: 'Sets a temporary password; the helper must log in and activate the account again',
  access: 'super',
  capability: 'helperAdmins',
  params: ById,
  body: Type.Object({ newPassword: Password }),
  reply: Done,
  failures: ['BAD_REQUEST', 'NOT_FOUND', 'RATE_LIMITED'],
  example: { body: { newPassword: 'Temporary2' }, reply: { ok: true, message: Message } },
})

export const activateSelf = defineRoute({
  method: 'POST',
  path: '/api/admin/admins/self/activate',
  summary: 'Replaces the temporary password; a new helper can do nothing else before this',
  access: 'session',
  capability: 'adminAccount',
  body: Type.Object({ tempPassword: Password, newPassword: Password }),
  reply: Done,
  failures: ['BAD_REQUEST', 'RATE_LIMITED', 'AIR_UNAVAILABLE'],
  example: {
    body: { tempPassword: 'Temporary1', newPassword: 'Own password 1' },
    reply: { ok: true, message: Message },
  },
})

export const changeOwnLogin = defineRoute({
  method: 'PUT',
  path: '/api/admin/admins/self/login',
  summary: "Changes the caller's login; the token stays valid",
  access: 'admin',
  capability: 'adminAccount',
  body: Type.Object({ newLogin: Login, currentPassword: Password }),
  reply: Done,
  failures: ['BAD_REQUEST', 'RATE_LIMITED', 'AIR_UNAVAILABLE'],
  example: {
    body: { newLogin: 'olena.k', currentPassword: 'Own password 1' },
    reply: { ok: true, message: Message },
  },
})

export const changeOwnPassword = defineRoute({
  method: 'PUT',
  path: '/api/admin/admins/self/password',
  summary: "Changes the caller's password; the token stays valid, all other sessions end",
  access: 'admin',
  capability: 'adminAccount',
  body: Type.Object({ currentPassword: Password, newPassword: Password }),
  reply: Done,
  failures: ['BAD_REQUEST', 'RATE_LIMITED', 'AIR_UNAVAILABLE'],
  example: {
    body: { currentPassword: 'Own password 1', newPassword: 'Own password 2' },
    reply: { ok: true, message: Message },
  },
})

export const listOwnSessions = defineRoute({
  method: 'GET',
  path: '/api/admin/self/sessions',
  summary: "Returns the caller's sessions, most recently used first",
  access: 'admin',
  reply: Sessions,
  failures: [],
  example: { reply: { ok: true, sessions: [SESSION] } },
})

export const endOtherSessions = defineRoute({
  method: 'DELETE',
  path: '/api/admin/self/sessions',
  summary: "Ends all of the caller's sessions except the current one",
  access: 'admin',
  reply: Done,
  failures: [],
  example: { reply: { ok: true, message: Message } },
})

export const endOwnSession = defineRoute({
  method: 'DELETE',
  path: '/api/admin/self/sessions/:id',
  summary: "Ends one of the caller's sessions",
  access: 'admin',
  params: ById,
  reply: Done,
  failures: ['NOT_FOUND'],
  example: { reply: { ok: true, message: Message } },
})

export const listSessions = defineRoute({
  method: 'GET',
  path: '/api/admin/admins/:id/sessions',
  summary: 'Returns the sessions of a helper admin, most recently used first',
  access: 'super',
  capability: 'helperAdmins',
  params: ById,
  reply: Sessions,
  failures: ['NOT_FOUND'],
  example: { reply: { ok: true, sessions: [{ ...SESSION, current: false }] } },
})

export const endSessions = defineRoute({
  method: 'DELETE',
  path: '/api/admin/admins/:id/sessions',
  summary: 'Ends all sessions of a helper admin',
  access: 'super',
  capability: 'helperAdmins',
  params: ById,
  reply: Done,
  failures: ['NOT_FOUND'],
  example: { reply: { ok: true, message: Message } },
})

export const endSession = defineRoute({
  method: 'DELETE',
  path: '/api/admin/admins/:id/sessions/:sessionId',
  summary: 'Ends one session of a helper admin',
  access: 'super',
  capability: 'helperAdmins',
  params: Type.Object({
    ...ById.properties,
    sessionId: Type.String({ minLength: 1, maxLength: 100 }),
  }),
  reply: Done,
  failures: ['NOT_FOUND'],
  example: { reply: { ok: true, message: Message } },
})
