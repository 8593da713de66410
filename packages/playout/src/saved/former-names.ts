/**
 * Field names that versions before 5 of the state wrote: in states, blocks of playlists, commands, effects and stream
 * markers. While a station is upgraded, and for as long as Redis keeps them, they are read under today's names.
 */
const fields: Record<string, string> = {
  rendition: 'cuePoints',
  list: 'playlist',
  filler: 'background',
  fillerChoice: 'backgroundChoice',
  lastFillerId: 'lastBackgroundId',
  suggestion: 'trackRequest',
  suggestions: 'trackRequests',
  suggestCooldowns: 'trackRequestCooldowns',
  suggestCooldownMs: 'trackRequestCooldownMs',
  suggestExpiryMs: 'trackRequestExpiryMs',
}

/** Former values, by the field that holds them. */
const values: Record<string, Record<string, string>> = {
  orderType: { lastinline: 'requested' },
  type: {
    'renditions-changed': 'cue-points-changed',
    suggest: 'request-track',
    'answer-suggestion': 'answer-track-request',
    'choose-filler': 'choose-background',
    'suggestion-answered': 'track-request-answered',
    'suggestions-changed': 'track-requests-changed',
  },
}

const names = [...Object.keys(fields), ...Object.values(values).flatMap(Object.keys)]
const formerNames = new RegExp(`"(?:${names.join('|')})"`)

/** Parses JSON of the engine's types, whichever version wrote it. @throws SyntaxError */
export function parseSaved<T>(json: string): T {
  const saved = JSON.parse(json)
  // Most texts contain none of them, and need no walk.
  return formerNames.test(json) ? renamed(saved) : saved
}

function renamed<T>(saved: T): T {
  if (typeof saved !== 'object' || saved === null) return saved
  if (Array.isArray(saved)) return saved.map(renamed) as T
  const entries = Object.entries(saved).map(([field, value]) => [
    fields[field] ?? field,
    typeof value === 'string' ? (values[field]?.[value] ?? value) : renamed(value),
  ])
  return Object.fromEntries(entries)
}
