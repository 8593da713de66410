import { fileURLToPath } from 'node:url'
import t from 'tap'
import { type Card, drawCard } from './card.ts'
import { readFont } from './font.ts'
import { setText } from './lines.ts'

const font = readFont(fileURLToPath(new URL('../../assets/fonts/Lora-Regular.ttf', import.meta.url)), 'Lora')
const card = (title: string, artist = 'Гільда', more: Partial<Card> = {}): Card => ({
  mode: 'day',
  lang: 'uk',
  station: 'Сонцестояння',
  song: { title, artist },
  ...more,
})
/** The texts of a drawing, and the widest right edge of its lines. */
const textsOf = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text)

t.test('the font has all letters of Ukrainian, and wider words are wider', async (t) => {
  for (const letter of 'абвгґдеєжзиіїйклмнопрстуфхцчшщьюяАБВГҐДЕЄЖЗИІЇЙКЛМНОПРСТУФХЦЧШЩЬЮЯ’–—«»…')
    t.ok(font.has(letter), letter)
  t.notOk(font.has('東'))
  t.ok(font.widthOf('Щедрик') > font.widthOf('Ще') && font.widthOf('i') < font.widthOf('m'))
})

t.test('a card shows title, artist, station and that it is on air, in both languages', async (t) => {
  t.same(textsOf(drawCard(card('Ранковий приплив'), font)), [
    'Сонцестояння',
    'Зараз в ефірі',
    'Ранковий приплив',
    'Гільда',
  ])
  const english = card('Lamp', 'Moth', { lang: 'en', station: 'Solstice', mode: 'night' })
  t.same(textsOf(drawCard(english, font)), ['Solstice', 'On air now', 'Lamp', 'Moth'])
  t.match(drawCard(english, font), '#10131f')
  t.equal(drawCard(english, font), drawCard(english, font), 'always alike')
})

t.test('without a song, or with one that the font cannot write, it shows the station alone', async (t) => {
  for (const song of [null, { title: '東京の夜', artist: 'X' }, { title: '🎸', artist: 'X' }])
    t.same(textsOf(drawCard(card('', '', { song }), font)), ['Сонцестояння', 'Одна трансляція для всіх'])
})

t.test('signs of markup are text, and signs that the font lacks are left out', async (t) => {
  const svg = drawCard(card('<script>"&\u0007', 'Ann 🎸'), font)
  t.notMatch(svg, '<script>')
  t.match(svg, '&lt;script&gt;&quot;&amp;<')
  t.match(textsOf(svg).at(-1), /^Ann ?$/)
})

t.test(
  'long titles break into lines that fit, and end with an ellipsis when they are too long',
  async (t) => {
    const settings = [
      { size: 100, maxLines: 1 },
      { size: 50, maxLines: 3 },
    ] as const
    const titles = [
      'Ой у лузі червона калина похилилася, чогось наша славна Україна зажурилася',
      'Слово '.repeat(300),
      'Ж'.repeat(500),
    ]
    for (const title of titles) {
      const { lines, size } = setText(title, font, settings, 1000)
      t.equal(size, 50)
      t.ok(lines.length <= 3)
      for (const line of lines) t.ok(font.widthOf(line) * size <= 1000, line)
      t.equal(lines.at(-1)!.endsWith('…'), title.length > 100)
    }
    t.same(setText('Short', font, settings, 1000), { lines: ['Short'], size: 100 })
    t.same(setText('', font, settings, 1000).lines, [''])
  },
)

t.test('lines are about equally wide; dashes and words of one letter do not stand alone', async (t) => {
  const { lines } = setText('Їжак у тумані – з ґанку й до обрію', font, [{ size: 88, maxLines: 2 }], 1000)
  t.same(
    lines.map((line) => line.replaceAll('\u00a0', ' ')),
    ['Їжак у тумані –', 'з ґанку й до обрію'],
  )
})
