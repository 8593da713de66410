import { type SettingName, settings, type ValueOf } from './settings.ts'

/** The environment as the operator wrote it. */
export type Environment = Record<string, string | undefined>

/** Reads settings one by one and gathers what is wrong with them. */
export interface Reader {
  /** The value of a setting; its fallback, or its nearest limit and a warning, when it cannot be used. */
  read<N extends SettingName>(name: N): ValueOf<N>
  /** The text of a variable exactly as written, or undefined when it is unset. */
  raw(name: SettingName): string | undefined
  /** Values that were replaced, a sentence each. */
  readonly warnings: string[]
  /** Reasons not to start, a sentence each. */
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
