const levels: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: '',
  40: 'warning',
  50: 'error',
  60: 'fatal',
}
const hidden = new Set(['time', 'level', 'name', 'msg', 'pid', 'hostname', 'err', 'v'])

/** A process's log line for people: time, process, message and its fields. */
export function readable(name: string, line: string): string {
  const entry = parse(line)
  if (!entry) return `${' '.repeat(8)} ${name.padEnd(7)} ${line}`
  const time = new Date(Number(entry.time)).toTimeString().slice(0, 8)
  const level = levels[Number(entry.level)] ?? ''
  const facts = Object.entries(entry)
    .filter(([key]) => !hidden.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const error = entry.err as { stack?: string; message?: string } | undefined
  const text = [level && `${level}:`, entry.msg, ...facts].filter(Boolean).join(' ')
  return `${time} ${name.padEnd(7)} ${text}${error ? `\n${error.stack ?? error.message ?? ''}` : ''}`
}

function parse(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === 'object' && entry !== null && 'time' in entry ? { ...entry } : null
  } catch {
    return null
  }
}
