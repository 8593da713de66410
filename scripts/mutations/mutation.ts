/** One fault put into the code on purpose, which at least one of the named test files has to notice. */
export interface Mutation {
  /** The rule that no longer holds, in plain words. */
  breaks: string
  /** The source that is changed. */
  file: string
  /** Stands exactly once in the source. */
  from: string
  /** Stands there instead. */
  to: string
  /** Whose failure is expected, one of them at least. */
  tests: readonly string[]
}

/** Rows of one table: file, what breaks, the text that is replaced, its replacement, the tests. */
export type Row = readonly [breaks: string, file: string, from: string, to: string, ...tests: string[]]

/** Spells paths of a folder out, so that tables stay readable. */
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
