import t from 'tap'
import { createLibrary, findTracks, indexTracks, type LibraryState } from './library.ts'

t.test('tracks are sorted by artist, and found by all words of a query', async (t) => {
  const track = (artist: string, title: string) => ({ id: `day/${title}.mp3`, artist, title })
  const tracks = indexTracks([
    track('Океан Ельзи', 'Обійми'),
    track('AC-DC', 'Track 10'),
    track('AC-DC', 'Track 9'),
    track('Ірина Білик', 'Снег | Сніг'),
  ])
  const titles = (query: string) => findTracks(tracks, query).map(({ track }) => track.title)
  t.same(titles(''), ['Снег | Сніг', 'Обійми', 'Track 9', 'Track 10'])
  t.same(titles('обій океан'), ['Обійми'])
  t.same(titles('track-ac,dc'), ['Track 9', 'Track 10'])
  t.same(titles('ірина|сніг'), ['Снег | Сніг'])
  t.same(titles('ac обійми'), [])
  t.same(titles(' - , '), titles(''), 'punctuation alone is no query')

  const many = indexTracks(Array.from({ length: 10_000 }, (_, i) => track(`Artist ${i % 100}`, `Song ${i}`)))
  t.equal(findTracks(many, 'artist-99 song 4999').length, 1)
})

t.test('the library is read when it is opened, and again when it changed', async (t) => {
  let reads = 0
  let isDown = false
  const library = createLibrary(async () => {
    reads++
    if (isDown) throw new Error('down')
    return [{ id: 'day/a.mp3', artist: 'A', title: String(reads) }]
  })
  const stateThat = (is: LibraryState['is']) =>
    new Promise<LibraryState>((resolve) => {
      const check = (state: LibraryState) => state.is === is && resolve(state)
      library.state.subscribe(check)
      check(library.state.value)
    })
  library.invalidate()
  t.equal(reads, 0, 'nobody has it open')
  const close = library.open()
  t.match(await stateThat('loaded'), { is: 'loaded', tracks: [{ track: { title: '1' } }] })
  close()
  library.open()()
  t.equal(reads, 1, 'what is current is not read again')
  library.invalidate()
  isDown = true
  library.open()
  await stateThat('failed')
  isDown = false
  library.retry()
  t.match(await stateThat('loaded'), { is: 'loaded', tracks: [{ track: { title: '3' } }] })
})
