import { messages, privileges, session } from '@solstice/contracts'
import {
  type AccountDeps,
  activate,
  changeLogin,
  changePassword,
  createHelper,
  deleteHelper,
  listHelpers,
  resetPassword,
  type SuperAdmin,
  setPrivileges,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { implement } from '../../http/implement.ts'
import type { RequestLimits } from '../../limits/request-limits.ts'

export interface AccountRouteDeps extends AccountDeps {
  superAdmin: SuperAdmin | null
  limits: Pick<RequestLimits, 'login'>
}

/** The accounts of admins: managed by the super admin, and each by its owner. */
export function accountRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const limitOwn = deps.limits.login.own

  implement(app, session.listAdmins, async () => ({
    ok: true as const,
    admins: await listHelpers(deps.data),
    allPrivileges: [...privileges],
  }))

  implement(app, session.createAdmin, async ({ caller, body }) => ({
    ok: true as const,
    admin: await createHelper(deps, caller, { ...body, privileges: body.privileges ?? [] }),
    message: messages.ADMIN_CREATED,
  }))

  implement(app, session.deleteAdmin, async ({ caller, params }) => {
    await deleteHelper(deps, caller, params.id)
    return { ok: true as const, message: messages.ADMIN_DELETED }
  })

  implement(app, session.setPrivileges, async ({ caller, params, body }) => ({
    ok: true as const,
    privileges: await setPrivileges(deps, caller, { adminId: params.id, wanted: body.privileges }),
    message: messages.PRIVILEGES_SAVED,
  }))

  implement(app, session.resetPassword, async ({ caller, params, body }) => {
    await resetPassword(deps, caller, { adminId: params.id, newPassword: body.newPassword })
    return { ok: true as const, message: messages.PASSWORD_RESET }
  })

  implement(app, session.activateSelf, async ({ caller, body, reply }) => {
    await limitOwn(caller.adminId, reply)
    await activate(deps, caller, body)
    return { ok: true as const, message: messages.ACCOUNT_ACTIVATED }
  })

  implement(app, session.changeOwnLogin, async ({ caller, body, reply }) => {
    await limitOwn(caller.adminId, reply)
    await changeLogin(deps, caller, body)
    return { ok: true as const, message: messages.LOGIN_CHANGED }
  })

  implement(app, session.changeOwnPassword, async ({ caller, body, reply }) => {
    await limitOwn(caller.adminId, reply)
    await changePassword(deps, caller, body)
    return { ok: true as const, message: messages.PASSWORD_CHANGED }
  })
}
