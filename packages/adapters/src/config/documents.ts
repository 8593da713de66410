import type { Setting } from './setting.ts'
import { type SettingName, sections, settings } from './settings.ts'

/** The settings that an operator needs first, shown in the README. */
const common: readonly SettingName[] = [
  'PORT',
  'STREAM_MODE',
  'STREAM_BITRATE',
  'CROSSFADE_MS',
  'LOUDNESS_TARGET_LUFS',
  'RADIO_HOSTS_MODE',
  'TIME_ZONE',
  'NIGHT_MODE',
  'DATA_PROVIDER',
  'DATA_DIR',
  'MEDIA_STORAGE',
  'MEDIA_DIR',
  'REDIS_URL',
  'PUBLIC_SERVER_URL',
  'TRUST_PROXY_HOPS',
  'LYRICS_API_URL',
  'DONATIONS_ENABLED',
]
const MARKS = ['<!-- settings: written by `npm run docs` -->', '<!-- end of settings -->'] as const
const WIDTH = 118

/** The text of `.env.example`: every setting, commented out, with its default. */
export function envExample(): string {
  const head = comment(
    '`npm start` reads .env; variables of the environment take precedence. Copy this file to .env and uncomment the settings that you change; the values shown are the defaults. Generated from the table of settings by `npm run docs`.',
  )
  const parts = sections.map(({ title, settings }) => {
    const lines = Object.entries(settings).map(
      ([name, setting]) =>
        `${comment(plain(`${setting.effect} (${setting.values})`))}\n#${name}=${setting.example}`,
    )
    return [`# --- ${title} ${'-'.repeat(WIDTH - title.length - 7)}`, ...lines].join('\n')
  })
  return `${[head, ...parts].join('\n\n')}\n`
}

/** The text of `docs/configuration.md`: every setting in tables, a section each. */
export function configurationGuide(): string {
  const head = `# Configuration

Settings are environment variables, or lines of a \`.env\` file beside \`package.json\`; the environment takes precedence. An empty value counts as unset unless its row says otherwise. An invalid value is replaced by the default or the nearest limit, with a warning in the log. If a required value is missing, nothing starts, and the error lists all that are missing. This page is generated from the table of settings by \`npm run docs\`.`
  const parts = sections.map(
    ({ title, settings }) => `## ${plain(title)}\n\n${table(Object.entries(settings))}`,
  )
  const web = `## Web client served by another site

These variables are not read from \`.env\`. \`npm run build\` reads \`VITE_SERVER_URL\`, the address of the station (by default the site that serves the pages). \`npm run dev -w apps/web\` reads \`VITE_PORT\`, its port (3000), and \`STATION_URL\`, the station that it connects to (http://127.0.0.1:3001).`
  return `${[head, ...parts, web].join('\n\n')}\n`
}

/** Returns the README with an up-to-date table of settings. @throws when the README lacks the marks around it. */
export function withSettings(readme: string): string {
  const [begin, end] = MARKS.map((mark) => readme.indexOf(mark)) as [number, number]
  if (begin < 0 || end < begin) throw new Error('README.md has lost the marks around its table of settings')
  const rows = common.map((name): [string, Setting<unknown>] => [name, settings[name]])
  return `${readme.slice(0, begin)}${MARKS[0]}\n${table(rows)}\n${readme.slice(end)}`
}

function table(rows: [string, Setting<unknown>][]): string {
  const lines = rows.map(
    ([name, { example, values, effect }]) =>
      `| \`${name}\` | ${example && `\`${example.replaceAll(',', ', ')}\``} | ${values} | ${effect} |`,
  )
  return ['| Variable | Default | Values | |', '|---|---|---|---|', ...lines].join('\n')
}

const plain = (markdown: string) => markdown.replaceAll('`', '')

/** Wraps a text into comment lines of at most `WIDTH` characters. */
function comment(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + word.length < WIDTH) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(`# ${word}`)
  }
  return lines.join('\n')
}
