import type { FastifyInstance } from 'fastify'
import { type AccountRouteDeps, accountRoutes } from './accounts.ts'
import { type LoginDeps, loginRoutes } from './login.ts'
import { type SessionListDeps, sessionListRoutes } from './sessions.ts'

/** Logging in and out, the accounts of admins, and their sessions. */
export function sessionRoutes(
  app: FastifyInstance,
  deps: LoginDeps & AccountRouteDeps & SessionListDeps,
): void {
  loginRoutes(app, deps)
  accountRoutes(app, deps)
  sessionListRoutes(app, deps)
}
