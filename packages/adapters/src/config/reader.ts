import { type SettingName, settings, type ValueOf } from './settings.ts'

/** Environment variables as the operator wrote them. */
export type Environment = Record<string, string | undefined>

/** Reads settings one by one and collects warnings and problems. */
export interface Reader {
  /** Returns the value of a setting: the fallback if unset, the fallback or nearest limit with a warning if invalid. */
  read<N extends SettingName>(name: N): ValueOf<N>
  /** Returns the text of a variable exactly as written; undefined if unset. */
  raw(name: SettingName): string | undefined
  /** Sentences about values that were replaced or ignored. */
  readonly warnings: string[]
  /** Sentences that say why the service cannot start. */
  readonly problems: string[]
}

export function createReader(env: Environment): Reader {
  const warnings: string[] = []
  return {
    warnings,
    problems: [],
    raw: (name) => env[name],
    read(name) {
      const setting = settings[name]
      const given = env[name]?.trim()
      if (!given) return setting.fallback
      const { value, warning } = setting.parse(given)
      if (warning) warnings.push(`${name}: ${warning}`)
      return value as ValueOf<typeof name>
    },
  }
}
