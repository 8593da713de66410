import t from 'tap'
import { asCsv, asJson, asText, fileOf, sheetOf } from './exports.ts'

const rows = [
  { name: 'Їжак, "старий"', plays: 3, at: new Date(0) },
  { name: '=1+1', plays: null, at: null },
]
const sheet = sheetOf(rows, [
  { id: 'name', title: 'Song', value: ({ name }) => name },
  { id: 'plays', title: 'Plays', value: ({ plays }) => plays },
  { id: 'at', title: 'Last', value: ({ at }) => at },
])

t.test('CSV quotes what needs it, and no cell is a formula', async (t) => {
  t.equal(
    asCsv(sheet),
    '\uFEFFSong,Plays,Last\r\n"Їжак, ""старий""",3,1970-01-01T00:00:00.000Z\r\n\'=1+1,,\r\n',
  )
})

t.test('JSON keeps numbers and empty values', async (t) => {
  t.same(JSON.parse(asJson(sheet)), [
    { name: 'Їжак, "старий"', plays: 3, at: '1970-01-01T00:00:00.000Z' },
    { name: '=1+1', plays: null, at: null },
  ])
})

t.test('text leaves out what is empty', async (t) => {
  t.equal(asText(sheet), 'Їжак, "старий" — 3 — 1970-01-01T00:00:00.000Z\n=1+1\n')
})

t.test('only the chosen fields are exported', async (t) => {
  t.equal(asText(sheetOf(rows, [{ id: 'plays', title: 'Plays', value: ({ plays }) => plays }])), '3\n\n')
})

t.test('a spreadsheet is a ZIP archive with the sheet in it', async (t) => {
  const { blob, extension } = await fileOf(sheet, 'xlsx')
  const bytes = Buffer.from(await blob.arrayBuffer())
  t.equal(extension, 'xlsx')
  t.equal(bytes.subarray(0, 2).toString(), 'PK')
  t.match(bytes.toString('latin1'), 'xl/worksheets/sheet1.xml')
})
