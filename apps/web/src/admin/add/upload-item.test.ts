import t from 'tap'
import { pickFiles } from '../intake/pick-files.ts'
import { firstTags, isIncomplete, isRepeated, linkKind, MAX_BYTES, type UploadItem } from './upload-item.ts'

const file = (name: string, size = 10, type = ''): File => ({ name, size, type }) as File
const uploaded = (artist: string, title: string, filename = `${title}.mp3`) => ({
  artist,
  title,
  album: '',
  year: null,
  duration: 180,
  mode: 'day' as const,
  filename,
  storageKey: `day/${filename}`,
})
const item = (id: string, name: string, stage: UploadItem['stage'] = { is: 'queued' }): UploadItem => ({
  id,
  source: { is: 'file', file: file(name) },
  mode: 'day',
  uploaded: null,
  tags: null,
  check: null,
  stage,
})

t.test('files that are no MP3, empty, too large or too many are left out and counted', async (t) => {
  const files = [
    file('a.MP3'),
    file('b', 10, 'audio/mpeg'),
    file('cover.jpg'),
    file('empty.mp3', 0),
    file('long.mp3', 90 * 1024 * 1024),
    file('c.mp3'),
  ]
  const { taken, ...left } = pickFiles(files, 2, MAX_BYTES)
  t.same(
    taken.map(({ name }) => name),
    ['a.MP3', 'b'],
  )
  t.same(left, { foreign: 1, large: 2, beyond: 1 })
})

t.test('a song without an artist, or with a title that is only a file name, is incomplete', async (t) => {
  t.ok(isIncomplete(uploaded('Unknown Artist', 'Ferry', '1.mp3')))
  t.ok(isIncomplete(uploaded('Marta', 'track01')))
  t.ok(isIncomplete(uploaded('Marta', 'Marta - Ferry')))
  t.notOk(isIncomplete(uploaded('Marta', 'Ferry')))
  t.notOk(isIncomplete(uploaded('Marta', 'Ferry - Live', '1.mp3')))
})

t.test('missing tags are guessed from the file name, given ones stay', async (t) => {
  const guess = (artist: string, title: string, filename?: string) => {
    const tags = firstTags(uploaded(artist, title, filename))
    return [tags.artist, tags.title]
  }
  t.same(guess('Unknown Artist', '03. Marta Kvit - Night Ferry'), ['Marta Kvit', 'Night Ferry'])
  t.same(guess('Unknown Artist', 'Марта Квіт — Пором'), ['Марта Квіт', 'Пором'])
  t.same(guess('Unknown Artist', 'Ferry'), ['', 'Ferry'])
  t.same(guess('Hilda', 'Tide', 'Marta - Ferry.mp3'), ['Hilda', 'Tide'])
})

t.test('the same name in the same mode is repeated, unless the first came to nothing', async (t) => {
  const second = item('2', 'a.mp3')
  t.ok(isRepeated(second, [item('1', 'a.mp3'), second]))
  t.notOk(isRepeated(second, [item('1', 'a.mp3', { is: 'cancelled' }), second]))
  t.notOk(isRepeated({ ...second, mode: 'night' }, [item('1', 'a.mp3'), second]))
  t.notOk(isRepeated(item('1', 'a.mp3'), [item('1', 'a.mp3'), second]), 'the first of two is none')
})

t.test('a link names a video, a list, or a video within a list', async (t) => {
  const site = 'https://video.example'
  t.equal(linkKind(`${site}/watch?v=1`), 'video')
  t.equal(linkKind(`${site}/xyz`), 'video')
  t.equal(linkKind(`${site}/watch?v=1&list=2`), 'video-in-list')
  t.equal(linkKind(`${site}/playlist?list=2`), 'list')
  t.equal(linkKind('http://video.example/watch?v=1'), 'none')
  t.equal(linkKind('morning tide'), 'none')
})
