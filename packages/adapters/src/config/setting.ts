/** One environment variable: its parser and its description for the operator. */
export interface Setting<T> {
  /** The value when the variable is unset or empty. */
  readonly fallback: T
  /** The fallback as written in `.env`; '' if there is none. */
  readonly example: string
  /** Accepted values, in words for the operator. */
  readonly values: string
  /** Effect of the setting, in sentences for the operator. */
  readonly effect: string
  /**
   * @param text not empty, without spaces around it.
   * @returns the value; for an invalid text the fallback or the nearest limit, with a `warning` to follow the variable's name.
   */
  parse(text: string): Parsed<T>
}

export interface Parsed<T> {
  value: T
  warning?: string
}

/** `true` or `false`, in any case. */
export function flag(fallback: boolean, effect: string): Setting<boolean> {
  return {
    fallback,
    example: String(fallback),
    values: '`true` or `false`',
    effect,
    parse(given) {
      const value = given.toLowerCase()
      if (value === 'true' || value === 'false') return { value: value === 'true' }
      return { value: fallback, warning: `"${given}" is neither true nor false; using ${fallback}` }
    },
  }
}

/** A whole number; a value out of range becomes the nearest limit. */
export function integer(
  fallback: number,
  { min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number },
  effect: string,
): Setting<number> {
  return {
    fallback,
    example: String(fallback),
    values: max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`,
    effect,
    parse(given) {
      if (!/^-?\d+$/.test(given))
        return { value: fallback, warning: `"${given}" is not a whole number; using ${fallback}` }
      return clamp(given, min, max)
    },
  }
}

/** A number, or null for `off`; a value out of range becomes the nearest limit. */
export function numberOrOff(
  fallback: number,
  { min, max }: { min: number; max: number },
  effect: string,
): Setting<number | null> {
  return {
    fallback,
    example: String(fallback),
    values: `${min} to ${max}, or \`off\``,
    effect,
    parse(given) {
      if (given.toLowerCase() === 'off') return { value: null }
      if (!/^-?\d+(\.\d+)?$/.test(given))
        return { value: fallback, warning: `"${given}" is neither a number nor off; using ${fallback}` }
      return clamp(given, min, max)
    },
  }
}

/** One of a few words or numbers, in any case. */
export function choice<const T extends readonly (string | number)[]>(
  accepted: T,
  fallback: T[number],
  effect: string,
): Setting<T[number]> {
  return {
    fallback,
    example: String(fallback),
    values: accepted.map((each) => `\`${each}\``).join(', '),
    effect,
    parse(given) {
      const value = accepted.find((candidate) => String(candidate) === given.toLowerCase())
      if (value !== undefined) return { value }
      return {
        value: fallback,
        warning: `"${given}" is not one of ${accepted.join(', ')}; using ${fallback}`,
      }
    },
  }
}

/** The same setting with another example and effect. */
export function like<T>(
  setting: Setting<T>,
  { example, effect }: Pick<Setting<T>, 'example' | 'effect'>,
): Setting<T> {
  return { ...setting, example, effect }
}

/** Any text. */
export function text(fallback: string, values: string, effect: string): Setting<string> {
  return { fallback, example: fallback, values, effect, parse: (value) => ({ value }) }
}

/** An http:// or https:// address without trailing slashes; '' if there is none. */
export function webAddress(fallback: string, effect: string): Setting<string> {
  return {
    fallback,
    example: fallback,
    values: 'an http:// or https:// address',
    effect,
    parse(given) {
      const value = withoutEndSlashes(given)
      if (hasProtocol(value, WEB)) return { value }
      const used = fallback || 'none'
      return { value: fallback, warning: `"${given}" is not an http:// or https:// address; using ${used}` }
    },
  }
}

/** A mailto: or https:// address; '' if there is none. */
export function contact(effect: string): Setting<string> {
  return {
    fallback: '',
    example: '',
    values: 'a mailto: or https:// address',
    effect,
    parse(value) {
      if (hasProtocol(value, ['mailto:', 'https:'])) return { value }
      return { value: '', warning: `"${value}" is not a mailto: or https:// address; using none` }
    },
  }
}

/** Origins of web pages, separated by commas. */
export function origins(fallback: string, effect: string): Setting<string[]> {
  const split = (given: string) => list(given).map(withoutEndSlashes)
  return {
    fallback: split(fallback),
    example: fallback,
    values: 'origins such as `https://radio.example`, separated by commas',
    effect,
    parse(given) {
      const value = split(given)
      const wrong = value.filter((each) => !/^https?:\/\/[\w.:[\]-]+$/i.test(each) || !URL.canParse(each))
      if (wrong.length === 0) return { value }
      return {
        value,
        warning: `${quoted(wrong)} is not an origin such as https://radio.example and never matches`,
      }
    },
  }
}

/** Origins for a `frame-ancestors` policy, or `*` alone. Others are ignored, so that none of them ends the policy. */
export function embedders(effect: string): Setting<string[]> {
  return {
    fallback: [],
    example: '',
    values: 'origins such as `https://blog.example`, separated by commas, or `*`',
    effect,
    parse(given) {
      if (given === '*') return { value: ['*'] }
      const isOrigin = (each: string) => /^https?:\/\/[\w.:[\]-]+$/i.test(each) && URL.canParse(each)
      const all = list(given).map(withoutEndSlashes)
      const wrong = all.filter((each) => !isOrigin(each))
      const value = all.filter(isOrigin).map((each) => new URL(each).origin)
      if (wrong.length === 0) return { value }
      return { value, warning: `${quoted(wrong)} is not an origin such as https://blog.example; ignored` }
    },
  }
}

/** Host names, separated by commas, normalised as in a URL; invalid ones are ignored. */
export function hostNames(fallback: string, effect: string): Setting<string[]> {
  return {
    fallback: list(fallback),
    example: fallback,
    values: 'host names, separated by commas',
    effect,
    parse(given) {
      const found = list(given).map((name) => ({ name, host: hostOf(name) }))
      const value = found.flatMap(({ host }) => host ?? [])
      const wrong = found.filter(({ host }) => host === null).map(({ name }) => name)
      if (wrong.length === 0) return { value }
      return { value, warning: `${quoted(wrong)} is not a host name; ignored` }
    },
  }
}

/** An IANA time zone known to the runtime. */
export function timeZone(fallback: string, effect: string): Setting<string> {
  return {
    fallback,
    example: fallback,
    values: 'an IANA time zone',
    effect,
    parse(value) {
      try {
        new Intl.DateTimeFormat('en', { timeZone: value })
        return { value }
      } catch {
        return { value: fallback, warning: `"${value}" is not a known time zone; using ${fallback}` }
      }
    },
  }
}

/** A bit rate in ffmpeg's notation, such as 128K. */
export function bitrate(
  fallback: string,
  { min, max }: { min: number; max: number },
  effect: string,
): Setting<string> {
  return {
    fallback,
    example: fallback,
    values: `\`${min}K\` to \`${max}K\``,
    effect,
    parse(given) {
      const value = given.toUpperCase()
      const kbits = /^\d{2,3}K$/.test(value) ? Number.parseInt(value, 10) : 0
      if (kbits >= min && kbits <= max) return { value }
      return { value: fallback, warning: `"${given}" is not between ${min}K and ${max}K; using ${fallback}` }
    },
  }
}

/** A prefix of keys in a bucket, without leading or trailing slashes. */
export function keyPrefix(fallback: string, effect: string): Setting<string> {
  return {
    fallback,
    example: fallback,
    values: 'names separated by slashes',
    effect,
    parse(given) {
      const value = given.replace(/^\/+|\/+$/g, '')
      const isPrefix = /^[\w.!*'()-]+(\/[\w.!*'()-]+)*$/.test(value) && !/(^|\/)\.\.?(\/|$)/.test(value)
      if (isPrefix) return { value }
      return { value: fallback, warning: `"${given}" is not a key prefix; using ${fallback}` }
    },
  }
}

const MAX_MAIL_ADDRESSES = 20
const MAIL_ADDRESS = /^[^\s@<>,;"]+@[^\s@<>,;"]+$/
const MAIL_SENDER = /^(?:[^<>,;"@\r\n]+ <[^\s@<>,;"]+@[^\s@<>,;"]+>|[^\s@<>,;"]+@[^\s@<>,;"]+)$/

/** Address of a mail server. It holds a password, so no warning quotes it. */
export function mailServer(effect: string): Setting<string> {
  return {
    fallback: '',
    example: '',
    values: '`smtp://user:password@host:587` or `smtps://user:password@host`',
    effect,
    parse(given) {
      if (hasProtocol(given, ['smtp:', 'smtps:']) && new URL(given).hostname && isDecodable(given))
        return { value: given }
      return { value: '', warning: 'is not an smtp:// or smtps:// address; no e-mail is sent' }
    },
  }
}

/** The sender of e-mails. */
export function sender(effect: string): Setting<string> {
  return {
    fallback: '',
    example: '',
    values: '`radio@example.org` or `Radio <radio@example.org>`',
    effect,
    parse(given) {
      if (MAIL_SENDER.test(given)) return { value: given }
      return { value: '', warning: `"${given}" is not a sender such as Radio <radio@example.org>` }
    },
  }
}

/** E-mail addresses, separated by commas; others are ignored. */
export function mailAddresses(effect: string): Setting<string[]> {
  return {
    fallback: [],
    example: '',
    values: `e-mail addresses, separated by commas, ${MAX_MAIL_ADDRESSES} at most`,
    effect,
    parse(given) {
      const all = list(given)
      const value = all.filter((each) => MAIL_ADDRESS.test(each)).slice(0, MAX_MAIL_ADDRESSES)
      const ignored = all.filter((each) => !value.includes(each))
      if (ignored.length === 0) return { value }
      return { value, warning: `${quoted(ignored)} ignored` }
    },
  }
}

export const WEB = ['http:', 'https:']

export function hasProtocol(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol)
}

export function withoutEndSlashes(value: string): string {
  return value.replace(/\/+$/, '')
}

function clamp(given: string, min: number, max: number): Parsed<number> {
  const value = Math.min(max, Math.max(min, Number(given)))
  return value === Number(given) ? { value } : { value, warning: `${given} is out of range; using ${value}` }
}

export function list(given: string): string[] {
  return given
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
}

export function quoted(values: string[]): string {
  return values.map((value) => `"${value}"`).join(', ')
}

function hostOf(name: string): string | null {
  const address = `https://${name}`
  if (!URL.canParse(address)) return null
  const { hostname, href } = new URL(address)
  return /^[a-z\d[]/.test(hostname) && href === `https://${hostname}/` ? hostname : null
}

function isDecodable(address: string): boolean {
  const { username, password } = new URL(address)
  try {
    decodeURIComponent(`${username}:${password}`)
    return true
  } catch {
    return false
  }
}
