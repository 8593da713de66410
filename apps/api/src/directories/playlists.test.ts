import type { NowPlaying } from '@solstice/contracts'
import t from 'tap'
import { m3u, pls, xspf } from './playlists.ts'

const stream = (
  name: string,
  bitrate: number,
  format: NowPlaying['streams'][number]['format'] = 'audio/mpeg',
) => ({
  url: `https://radio.example/api/stream/${name}`,
  format,
  bitrate,
})
const station = (...streams: ReturnType<typeof stream>[]) => ({
  station: { name: { uk: 'Т', en: 'Tide & <Ebb>\n' }, url: 'https://radio.example/' },
  streams,
})

t.test('the only stream has the name of the station', async (t) => {
  const now = station(stream('public.mp3', 192))
  t.equal(m3u(now), '#EXTM3U\n#EXTINF:-1,Tide & <Ebb>\nhttps://radio.example/api/stream/public.mp3\n')
  t.equal(
    pls(now),
    '[playlist]\nNumberOfEntries=1\nFile1=https://radio.example/api/stream/public.mp3\nTitle1=Tide & <Ebb>\nLength1=-1\nVersion=2\n',
  )
})

t.test('several streams are told apart by codec and bit rate, in order', async (t) => {
  const now = station(
    stream('public.mp3', 192),
    stream('public-64.mp3', 64),
    stream('public-96.opus', 96, 'audio/ogg'),
  )
  t.same(m3u(now).match(/(?<=#EXTINF:-1,).*/g), [
    'Tide & <Ebb> (MP3 192 kbit/s)',
    'Tide & <Ebb> (MP3 64 kbit/s)',
    'Tide & <Ebb> (Opus 96 kbit/s)',
  ])
  t.match(pls(now), /NumberOfEntries=3\n.*\nFile2=https:\/\/radio\.example\/api\/stream\/public-64\.mp3\n/s)
})

t.test('no name breaks out of an XSPF', async (t) => {
  const text = xspf(station(stream('public.mp3', 192)))
  t.match(text, '<title>Tide &amp; &lt;Ebb&gt;</title>')
  t.match(text, '<location>https://radio.example/api/stream/public.mp3</location>')
})
