import { readFile } from 'node:fs/promises'
import t from 'tap'
import { configurationGuide, envExample, withSettings } from './documents.ts'
import { settings } from './settings.ts'

const read = (name: string) => readFile(new URL(`../../../../${name}`, import.meta.url), 'utf8')

t.test('generated documents match the table of settings (npm run docs)', async (t) => {
  t.equal(await read('.env.example'), envExample())
  t.equal(await read('docs/configuration.md'), configurationGuide())
  const readme = await read('README.md')
  t.equal(readme, withSettings(readme))
})

t.test('the default of each setting is one of its values', async (t) => {
  for (const [name, { example, fallback, parse }] of Object.entries(settings)) {
    if (example) t.notMatch(parse(example), { warning: String }, `${name}=${example}`)
    if (example && fallback !== '') t.same(parse(example).value, fallback, name)
  }
})

t.test('each setting describes its effect in whole sentences', async (t) => {
  for (const [name, { effect, values }] of Object.entries(settings)) {
    t.match(effect, /^[^a-z].*\.$|^`.*\.$|^yt-dlp.*\.$|^ffmpeg.*\.$/, name)
    t.not(values, '', name)
  }
})
