import { IcecastStatus, type NowPlaying, nowPlaying } from '@solstice/contracts'
import { defaultSettings } from '@solstice/station'
import t from 'tap'
import { Value } from 'typebox/value'
import { icecastStatus } from './icecast-status.ts'

const now = nowPlaying.getNowPlaying.example.reply as unknown as NowPlaying
const { directory } = defaultSettings.branding
const audience = { size: 4, peak: 9, sinceMs: Date.UTC(2026, 8, 20, 12, 26, 40, 500) }
const audiences = [audience, { ...audience, size: 1, peak: 2 }]
const [mp3] = now.streams
const second = { ...mp3!, url: 'https://radio.example/api/stream/public-64.mp3', bitrate: 64 }

t.test('one stream is an object', async (t) => {
  const status = icecastStatus(now, { directory, audiences, hasSound: true })
  t.ok(Value.Check(IcecastStatus, status))
  t.match(status.icestats, {
    host: 'radio.example',
    server_start: 'Sun, 20 Sep 2026 12:26:40 +0000',
    server_start_iso8601: '2026-09-20T12:26:40+0000',
    source: {
      audio_info: 'channels=2;samplerate=44100;bitrate=192',
      genre: 'Various',
      listener_peak: 9,
      listeners: 4,
      listenurl: 'https://radio.example/api/stream/public.mp3',
      server_url: 'https://radio.example/',
      title: 'Hilda - Morning Tide',
      dummy: null,
    },
  })
})

t.test('several are a list, and one of them can be asked for', async (t) => {
  const both = { ...now, streams: [mp3!, second] }
  const ask = (mount?: string) => icecastStatus(both, { directory, audiences, hasSound: true, mount })
  t.ok(Value.Check(IcecastStatus, ask()))
  t.match(ask().icestats.source, [
    { bitrate: 192, listeners: 4, listener_peak: 9 },
    { bitrate: 64, listeners: 1, listener_peak: 2 },
  ])
  t.match(ask('/api/stream/public-64.mp3').icestats.source, { bitrate: 64 })
})

t.test('without sound there is none', async (t) => {
  t.notOk('source' in icecastStatus(now, { directory, audiences, hasSound: false }).icestats)
})

t.test('the entry for directories is told', async (t) => {
  const entry = {
    ...directory,
    description: 'Тихо',
    genre: 'Folk',
    url: 'https://x.example',
    countryCode: 'UA',
  }
  t.match(icecastStatus(now, { directory: entry, audiences, hasSound: true }).icestats, {
    location: 'UA',
    source: { server_description: 'Тихо', genre: 'Folk', server_url: 'https://x.example' },
  })
})
