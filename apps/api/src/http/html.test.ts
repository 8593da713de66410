import t from 'tap'
import { html, jsonElement } from './html.ts'

const ESCAPED = '&lt;/title&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;'

t.test('what is put into a template is escaped for text and for attributes', async (t) => {
  const title = `</title><script>alert("1")</script> & 'x'`
  t.equal(
    html`<a title="${title}">${title}${null}</a>`.text,
    `<a title="${ESCAPED}">${ESCAPED}</a>`,
    'quotes too',
  )
  t.equal(
    html`<ul>${[1, '<'].map((item) => html`<li>${item}</li>`)}</ul>`.text,
    '<ul><li>1</li><li>&lt;</li></ul>',
  )
})

t.test('no text ends an element of JSON, and scripts read what was written', async (t) => {
  const value = {
    title: '</script><script>alert(1)</script>',
    of: '<!--',
    line: '\u2028\u2029',
    and: 'a & "b"',
  }
  const { text } = jsonElement(value, { id: 'arrival' })
  t.match(text, /^<script type="application\/json" id="arrival">[^<>\u2028\u2029]*<\/script>$/)
  t.same(JSON.parse(text.replace(/^[^>]*>|<\/script>$/g, '')), value)
})
