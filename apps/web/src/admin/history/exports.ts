/** A value of a cell; dates are moments. */
export type Value = string | number | Date | null

/** A column that can be exported. */
export interface ExportField<T> {
  id: string
  title: string
  value: (row: T) => Value
}

export const formats = ['xlsx', 'csv', 'json', 'text'] as const
export type Format = (typeof formats)[number]

/** Rows of chosen columns, ready for any format. */
export interface Sheet {
  fields: readonly { id: string; title: string }[]
  rows: readonly (readonly Value[])[]
}

export function sheetOf<T>(rows: readonly T[], fields: readonly ExportField<T>[]): Sheet {
  return { fields, rows: rows.map((row) => fields.map(({ value }) => value(row))) }
}

/** The file of a sheet in a format. The library that writes spreadsheets is fetched when one is asked for. */
export async function fileOf(sheet: Sheet, format: Format): Promise<{ blob: Blob; extension: string }> {
  if (format === 'xlsx') return { blob: await asSpreadsheet(sheet), extension: 'xlsx' }
  const [text, type, extension] = {
    csv: () => [asCsv(sheet), 'text/csv', 'csv'] as const,
    json: () => [asJson(sheet), 'application/json', 'json'] as const,
    text: () => [asText(sheet), 'text/plain', 'txt'] as const,
  }[format]()
  return { blob: new Blob([text], { type: `${type};charset=utf-8` }), extension }
}

/** With a byte order mark, without which spreadsheets take Cyrillic for something else. */
export function asCsv({ fields, rows }: Sheet): string {
  const lines = [fields.map(({ title }) => title), ...rows].map((line) => line.map(csvCell).join(','))
  return `\uFEFF${lines.join('\r\n')}\r\n`
}

function csvCell(value: Value): string {
  const plain = plainOf(value)
  // A spreadsheet would carry out a text that begins like a formula.
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A list of objects; moments are ISO 8601. */
export function asJson({ fields, rows }: Sheet): string {
  const objects = rows.map((row) => Object.fromEntries(fields.map(({ id }, i) => [id, row[i] ?? null])))
  return `${JSON.stringify(objects, null, 2)}\n`
}

/** One line a row; what is empty is left out. */
export const asText = ({ rows }: Sheet): string =>
  `${rows.map((row) => row.map(plainOf).filter(Boolean).join(' — ')).join('\n')}\n`

function plainOf(value: Value): string {
  if (value instanceof Date) return value.toISOString()
  return value === null ? '' : String(value)
}

async function asSpreadsheet({ fields, rows }: Sheet): Promise<Blob> {
  const { default: writeSpreadsheet } = await import('write-excel-file/universal')
  const head = fields.map(({ title }) => ({ value: title, fontWeight: 'bold' as const }))
  const columns = fields.map(({ title }, i) => {
    const longest = rows
      .slice(0, 200)
      .reduce((most, row) => Math.max(most, plainOf(row[i]!).length), title.length)
    return { width: Math.min(60, longest + 2) }
  })
  const options = { columns, stickyRowsCount: 1, dateFormat: 'yyyy-mm-dd hh:mm:ss' }
  return writeSpreadsheet([head, ...rows.map((row) => [...row])], options).toBlob()
}

/** Hands a file to the browser's downloads. */
export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
