// The first that occurs is meant: most browsers name others as well.
const browsers: [name: string, sign: RegExp][] = [
  ['Edge', /Edg(?:e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /Firefox\/|FxiOS\//],
  ['Chrome', /Chrome\/|CriOS\//],
  ['Safari', /Safari\//],
]
const systems: [name: string, sign: RegExp][] = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Windows', /Windows/],
  ['ChromeOS', /CrOS/],
  ['macOS', /Mac OS X|Macintosh/],
  ['Linux', /Linux/],
]

/** The usual names of a browser and its system: Firefox, Linux. A program that isn't a browser is named as it names itself. */
export function browserName(userAgent: string): string {
  const find = (known: typeof browsers) => known.find(([, sign]) => sign.test(userAgent))?.[0]
  const names = [find(browsers), find(systems)].filter(Boolean)
  return names.length ? names.join(', ') : (userAgent.split(/[/\s]/)[0] ?? '')
}
