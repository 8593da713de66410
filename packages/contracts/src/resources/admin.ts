import { type Static, Type } from 'typebox'
import { EpochMs } from './schema.ts'

export const Privileges = Type.Array(Type.String(), { description: 'see `allPrivileges`' })

/** A helper's account as the super admin sees it. */
export const HelperAdmin = Type.Object({
  adminId: Type.String(),
  login: Type.String(),
  privileges: Privileges,
  authorized: Type.Boolean({ description: 'the helper has replaced its temporary password' }),
  createdAt: EpochMs,
  updatedAt: EpochMs,
})
export type HelperAdmin = Static<typeof HelperAdmin>

/** A login that goes on. */
export const AdminSession = Type.Object({
  id: Type.String(),
  createdAt: EpochMs,
  lastSeenAt: Type.Number({ description: 'epoch ms, to a minute' }),
  address: Type.String({ description: 'where it was last used from' }),
  userAgent: Type.String({ description: 'of the last use, at most 120 characters' }),
  current: Type.Boolean({ description: 'the one that asks' }),
})
export type AdminSession = Static<typeof AdminSession>

/** The operations of which an entry counts several. */
const ABOUT_LOGINS =
  'What was done, such as `upload_song`. `admin_login`, `admin_login_failed` and `admin_logout` count what one account did from one network within an hour: their `data` is `{ ip, count, lastAt }`, with `ip` null where there were too many networks to list.'

/** An admin's action. `data` depends on the operation; `details` lists old and new values. */
export const AuditEntry = Type.Object({
  id: Type.Integer(),
  adminId: Type.String({
    description: 'uuid, `super`, `guest`, `donation`, or `unknown`: a login that nobody has',
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
