/** A deliberate fault in the code, which at least one of the named test files must detect. */
export interface Mutation {
  /** The broken rule, in plain words. */
  breaks: string
  /** The changed source file. */
  file: string
  /** Text that occurs exactly once in the source. */
  from: string
  /** Its replacement. */
  to: string
  /** Test files, at least one of which must fail. */
  tests: readonly string[]
}

/** Rows of one table: file, broken rule, original text, replacement, tests. */
export type Row = readonly [breaks: string, file: string, from: string, to: string, ...tests: string[]]

/** Expands paths relative to a folder, so that tables stay readable. */
export function mutationsOf(folder: string, rows: readonly Row[]): Mutation[] {
  const inFolder = (path: string) =>
    /^(apps|packages|scripts|tests|tools|deploy)\//.test(path) ? path : `${folder}/${path}`
  return rows.map(([breaks, file, from, to, ...tests]) => ({
    breaks,
    file: inFolder(file),
    from,
    to,
    tests: tests.map(inFolder),
  }))
}
