import { type Static, Type } from 'typebox'
import { EpochMs } from './schema.ts'

export const Privileges = Type.Array(Type.String(), { description: 'names listed in `allPrivileges`' })

/** A helper's account as the super admin sees it. */
export const HelperAdmin = Type.Object({
  adminId: Type.String(),
  login: Type.String(),
  privileges: Privileges,
  authorized: Type.Boolean({ description: 'whether the helper has replaced its temporary password' }),
  createdAt: EpochMs,
  updatedAt: EpochMs,
})
export type HelperAdmin = Static<typeof HelperAdmin>

/** A login that goes on. */
export const AdminSession = Type.Object({
  id: Type.String(),
  createdAt: EpochMs,
  lastSeenAt: Type.Number({ description: 'epoch ms, accurate to a minute' }),
  address: Type.String({ description: 'IP address of the last use' }),
  userAgent: Type.String({ description: 'browser of the last use, at most 120 characters' }),
  current: Type.Boolean({ description: 'whether this request belongs to it' }),
})
export type AdminSession = Static<typeof AdminSession>

/** Operations that one entry counts several of. */
const ABOUT_LOGINS =
  'The operation, such as `upload_song`. An entry of `admin_login`, `admin_login_failed` or `admin_logout` counts those of one account from one network within an hour; its `data` is `{ ip, count, lastAt }`, with `ip` null when there were too many networks to list.'

/** An admin's action. `data` depends on the operation; `details` lists old and new values. */
export const AuditEntry = Type.Object({
  id: Type.Integer(),
  adminId: Type.String({
    description: 'UUID, `super`, `guest`, `donation`, or `unknown` for a login that does not exist',
  }),
  adminLogin: Type.String(),
  operationType: Type.String({ description: ABOUT_LOGINS }),
  createdAt: EpochMs,
  data: Type.Object(
    {
      details: Type.Optional(
        Type.Object({
          version: Type.Literal(1),
          changes: Type.Array(
            Type.Object({ field: Type.String(), before: Type.Unknown(), after: Type.Unknown() }),
          ),
          info: Type.Object({}, { additionalProperties: true }),
        }),
      ),
    },
    { additionalProperties: true },
  ),
})
export type AuditEntry = Static<typeof AuditEntry>

/** A page of the audit log, newest entries first. */
export const AuditPage = Type.Object({
  ok: Type.Literal(true),
  entries: Type.Array(AuditEntry),
  total: Type.Integer(),
  offset: Type.Integer(),
  limit: Type.Integer(),
})
