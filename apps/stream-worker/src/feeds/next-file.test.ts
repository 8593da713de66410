import { Failure } from '@solstice/station'
import t from 'tap'
import { createNextFile } from './next-file.ts'

const log = { info() {}, warn() {} }
const comes = (name: string) => ({ entryId: `e-${name}`, media: `day/${name}.mp3` })

t.test('T7: the file of each upcoming track is looked up once', async (t) => {
  const looked: string[] = []
  const left: string[] = []
  const coming = ['gone', 'lost', 'here'].map(comes)
  const over = new AbortController()
  let isFound = () => {}
  const found = new Promise<void>((resolve) => {
    isFound = resolve
  })
  const files = createNextFile(
    async (media) => {
      looked.push(media)
      if (media !== 'day/here.mp3') throw new Failure('NOT_FOUND')
      isFound()
    },
    (entryId) => {
      left.push(entryId)
      files.follow(coming[left.length]!)
    },
    log,
    over.signal,
  )
  files.follow(coming[0]!)
  await found
  t.same(left, ['e-gone', 'e-lost'], 'until there is one that has a file')
  await new Promise((resolve) => setImmediate(resolve))
  files.follow(coming[2]!)
  files.follow(null)
  t.same(looked, ['day/gone.mp3', 'day/lost.mp3', 'day/here.mp3'])
})

t.test('T7: while the storage cannot tell nothing is left out', async (t) => {
  const over = new AbortController()
  let isAsked = () => {}
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve
  })
  const files = createNextFile(
    async () => {
      isAsked()
      throw new Failure('STORAGE_URL_FAILED')
    },
    () => t.fail('left out'),
    log,
    over.signal,
  )
  files.follow(comes('song'))
  await asked
  over.abort()
})
