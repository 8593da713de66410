import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createPasswords } from '../../packages/adapters/src/auth/passwords.ts'
// Files rather than the package: the supervisor starts first and must not load the programs it supervises.
import { type Config, ConfigError, readConfig } from '../../packages/adapters/src/config/config.ts'
import { makePrivateFolder } from './private-folder.ts'

export { ConfigError }

/** Settings that have defaults outside production. */
interface Secrets {
  jwtSecret: string
  artTokenSecret: string
  adminPassword: string
}

export interface Environment {
  /** Environment for the station's processes: ours plus generated values. */
  env: NodeJS.ProcessEnv
  /** What stands for a generated password in the environment; null when the operator chose one. */
  passwordHash: Promise<string> | null
  config: Config
  /** Notices of settings that were replaced and that no process reports by itself. */
  warnings: string[]
  /** The station's administrator; with the password only when it was generated here. */
  admin: { login: string; password: string | null }
  /** True when the operator provides Redis. */
  hasRedis: boolean
}

/**
 * Reads `.env` under `root` (existing environment variables win), generates the secrets that are not set, and checks
 * the configuration before anything is started.
 *
 * @throws {ConfigError} when the configuration is invalid.
 */
export async function readEnvironment(root: string): Promise<Environment> {
  loadEnvFile(join(root, '.env'))
  const chosen = (name: string) => process.env[name]?.trim() || null
  const isProduction = process.env.NODE_ENV === 'production'
  const needed = ['JWT_SECRET', 'ADMIN_LOGIN', 'ADMIN_PASS'].filter((name) => chosen(name) === null)
  if (isProduction && needed.length)
    throw new ConfigError(needed.map((name) => `${name} is required in production`))

  const secrets =
    isProduction || ['JWT_SECRET', 'ART_TOKEN_SECRET', 'ADMIN_PASS'].every(chosen)
      ? null
      : await keepSecrets(resolve(root, chosen('DATA_DIR') ?? './data'))
  const login = chosen('ADMIN_LOGIN') ?? 'admin'
  const password = chosen('ADMIN_PASS') ? null : (secrets?.adminPassword ?? null)
  // Set as an operator would, so that no process warns about a value that nobody chose. It takes as long as Redis to start.
  const passwordHash = password === null ? null : createPasswords().hash(password)
  const env = {
    ...process.env,
    JWT_SECRET: chosen('JWT_SECRET') ?? secrets?.jwtSecret,
    ART_TOKEN_SECRET: chosen('ART_TOKEN_SECRET') ?? secrets?.artTokenSecret,
    ADMIN_LOGIN: login,
    ADMIN_PASS: password ?? chosen('ADMIN_PASS') ?? '',
  }
  const { config, warnings } = readConfig(env)
  const ofPort = warnings.filter((warning) => warning.startsWith('PORT:'))
  return {
    env,
    passwordHash,
    config,
    warnings: ofPort,
    admin: { login, password },
    hasRedis: Boolean(chosen('REDIS_URL') ?? chosen('REDIS_SENTINELS')),
  }
}

function loadEnvFile(path: string) {
  try {
    process.loadEnvFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Generated once; readable only by the files' owner. */
async function keepSecrets(dataDir: string): Promise<Secrets> {
  const path = join(dataDir, 'secrets.json')
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new ConfigError([`${path} cannot be read (${error.code})`])
  })
  if (kept !== null) return parseSecrets(kept, path)

  const secrets = {
    jwtSecret: randomBytes(32).toString('base64url'),
    artTokenSecret: randomBytes(32).toString('base64url'),
    adminPassword: randomBytes(9).toString('base64url'),
  }
  try {
    await makePrivateFolder(dataDir)
    await writeFile(`${path}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
    await rename(`${path}.new`, path)
  } catch (error) {
    throw new ConfigError([`DATA_DIR cannot be written: ${(error as Error).message}`])
  }
  return secrets
}

function parseSecrets(text: string, path: string): Secrets {
  try {
    const { jwtSecret, artTokenSecret, adminPassword } = JSON.parse(text)
    if ([jwtSecret, artTokenSecret, adminPassword].every((secret) => typeof secret === 'string'))
      return { jwtSecret, artTokenSecret, adminPassword }
  } catch {
    // Reported below, like a file of the wrong shape.
  }
  throw new ConfigError([`${path} is damaged; delete it and new secrets are made (all admins log in again)`])
}
