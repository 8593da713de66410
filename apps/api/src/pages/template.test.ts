import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ownLook } from '@solstice/contracts'
import t from 'tap'
import { temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { html, jsonElement } from '../http/html.ts'
import { fillTemplate, readTemplate } from './template.ts'

const FILE = `<!doctype html><html lang="uk"><head><!--head--><title>Built</title><!--/head-->
<link rel="stylesheet" crossorigin href="/assets/a-1.css"></head><body><div id="page"></div></body></html>`

t.test('style sheets stand in the page, and its policy knows them by their hash', async (t) => {
  const root = await temporaryFolder(t)
  await mkdir(join(root, 'assets'))
  await writeFile(join(root, 'assets', 'a-1.css'), 'p{color:red}')
  await writeFile(join(root, 'index.html'), FILE)
  const { text, styles } = await readTemplate(root, 'index.html')
  t.match(text, '<style data-href="/assets/a-1.css">p{color:red}</style>')
  t.notMatch(text, 'stylesheet')
  t.same(styles, [`sha256-${createHash('sha256').update('p{color:red}').digest('base64')}`])
})

t.test('a page gets its language, mode, head, body and data', async (t) => {
  const text = fillTemplate(FILE, {
    lang: 'en',
    textsIn: ['en'],
    mode: 'night',
    look: { ...ownLook, textSize: '150', isStill: true },
    head: html`<title>${'$& <Song>'}</title>`,
    body: html`<h1>Song</h1>`,
    data: jsonElement({ a: '$1' }),
  })
  t.match(text, '<html lang="en" data-mode="night" data-text-size="150" data-motion="none">')
  t.match(text, '<head><title>$&amp; &lt;Song&gt;</title>', 'signs of replacements mean nothing')
  t.match(text, '<div id="page"><h1>Song</h1></div><script type="application/json">{"a":"$1"}</script>')
  t.notMatch(text, /Built|<!--/)
})

t.test('a page fetches its texts in its own language only', async (t) => {
  const link = (lang: string) =>
    `<link rel="modulepreload" crossorigin hreflang="${lang}" href="/assets/${lang}.js">`
  const file = FILE.replace(
    '</head>',
    `${link('uk')}${link('en')}<link rel="modulepreload" href="/b.js"></head>`,
  )
  const filled = (textsIn: string[]) =>
    fillTemplate(file, {
      lang: 'en',
      textsIn,
      mode: 'day',
      look: ownLook,
      head: html``,
      body: html``,
      data: null,
    })
  t.same(filled(['en']).match(/[\w/]+\.js/g), ['/assets/en.js', '/b.js'])
  t.same(filled(['uk', 'en']).match(/[\w/]+\.js/g), ['/assets/uk.js', '/assets/en.js', '/b.js'])
})
