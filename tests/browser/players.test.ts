import t from 'tap'
import { advances, prepare, visit } from '../harness/people/browser.ts'

t.test(
  'where Web Audio can’t decode a file the element plays it; one that stands still gets it again',
  async (t) => {
    const station = await prepare(t, { STREAM_MODE: 'false', MEDIA_STORAGE: 'local' })
    await station.startWorker()
    const api = await station.startApi()
    const { page } = await visit(t, `${api.url}/en/`, {}, (opening) =>
      opening.addInitScript(() => {
        BaseAudioContext.prototype.decodeAudioData = () =>
          Promise.reject(new DOMException('no decoder', 'EncodingError'))
      }),
    )
    await page.locator('.listen').click()
    await page.locator('.horizon[data-sound=playing]').waitFor()
    await page.waitForFunction(() => document.querySelector('audio')!.src.includes('/api/audio/stream'))
    await advances(page)
    await page.evaluate(() => {
      const audio = document.querySelector('audio')!
      const { currentTime } = audio
      Object.defineProperty(audio, 'currentTime', {
        configurable: true,
        get: () => currentTime,
        set: () => {},
      })
      audio.addEventListener('emptied', () => Reflect.deleteProperty(audio, 'currentTime'), { once: true })
    })
    await page.waitForFunction(() => !Object.hasOwn(document.querySelector('audio')!, 'currentTime'))
    await page.locator('.horizon[data-sound=playing]').waitFor()
    await advances(page)
  },
)
