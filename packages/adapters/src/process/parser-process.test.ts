import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { openParserProcess } from './parser-process.ts'

const folder = await temporaryFolder(t)
const script = pathToFileURL(join(folder, 'parser.mjs'))
await writeFile(
  script,
  `process.on('message', ({ is }) => {
     if (is === 'fatal') process.exit(1)
     if (is === 'read') process.send('its content')
   })
   process.send('ready')`,
)

t.test('a parser that had no time is not taken for one that cannot read its file', async (t) => {
  const ask = openParserProcess({ script, timeoutMs: 2_000, maxHeapMb: 64, isUrgent: true })
  const read = ask({ is: 'read' })
  // Only Linux tells how much time a process has had; this one sleeps.
  const late = ask({ is: 'slow' })
  if (process.platform === 'linux') await t.rejects(late, { name: 'Starved' })
  else t.equal(await late, null)
  t.equal(await read, 'its content')
  t.equal(await ask({ is: 'fatal' }), null, 'one that ends had its chance')
  t.equal(await ask({ is: 'read' }), 'its content', 'the next one is read')
})
