import type { RadioState } from '@solstice/contracts'
import { lyricsKey } from '@solstice/station'
import t from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { adminAt, hears, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { dropFiles, openFileMaker } from '../harness/browser/dropped-files.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { until } from '../harness/until.ts'

const settings = {
  NIGHT_MODE: 'false',
  QUEUE_ADD_COOLDOWN_S: '0',
  QUEUE_SKIP_COOLDOWN_S: '0',
  ...SUPER_ADMIN,
}
const HZ = 523

t.test(
  'three songs are dropped, one gets tags and timed lyrics, is queued, and is heard in the stream',
  async (t) => {
    const station = await prepare(t, settings)
    const [{ url }] = await Promise.all([station.startApi(), station.startWorker(), station.startJobs()])
    const song = await openFileMaker(t)
    const { page } = await visit(t, `${url}/en/adlogin`)
    await page.setViewportSize({ width: 1440, height: 900 })
    await signIn(page)
    await page.locator('.queue-row').first().waitFor()

    await dropFiles(page, '.queue-row', [
      await song('Harbour.mp3', { title: 'Harbour', artist: 'Hilda' }),
      await song('Ferry.mp3', { title: 'Ferry', artist: 'Hilda' }),
      await song('02 Track.mp3', { hz: HZ, seconds: 60 }),
    ])
    const row = (name: string) => page.locator('.add-row', { hasText: name })
    const form = page.getByRole('form', { name: /^Tags: / })
    await form.getByLabel('Title').fill('Night Swim')
    await form.getByLabel('Artist').fill('Marta Kvit')
    await page.keyboard.press('Enter')
    for (const name of ['Harbour', 'Ferry', 'Night Swim']) await row(name).getByText('Added').waitFor()

    // What comes next is locked, so that must be another song.
    const admin = await adminAt(t, url)
    const { items } = (await admin.ask('get_queue', { limit: 2 })) as { items: { title: string }[] }
    const other = ['Harbour', 'Ferry'].find((name) => items.every(({ title }) => title !== name))
    admin.socket.emit('admin_add_song', { id: `day/${other}.mp3`, orderType: 'lastinline', tier: null })
    await admin.first('admin_success')
    // The same song twice in a row is refused.
    if (items[0]!.title === 'Night Swim') {
      admin.forget()
      admin.socket.emit('admin_remove_song', 2)
      await admin.first('admin_success')
    }
    await row('Night Swim')
      .getByRole('link', { name: /^Open in the editor/ })
      .click()
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('tab', { name: 'Lyrics' }).click()
    await drawer.getByRole('button', { name: 'As text' }).click()
    await drawer.getByLabel('Lyrics as .lrc or plain lines').fill('The water is warm\nThe town is asleep')
    await drawer.getByRole('button', { name: 'Apply' }).click()
    await drawer.getByRole('checkbox', { name: 'Synced' }).click()
    await drawer.getByRole('button', { name: 'One line per second' }).click()
    t.same(await violations(page), [])
    await page.keyboard.press('Control+s')
    await drawer.getByText('Not saved').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')

    await page.getByRole('link', { name: 'On air' }).click()
    await page.locator('.queue-row').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('night swim')
    await page.getByRole('button', { name: 'Add to the queue: Night Swim' }).click()
    await until('the song is queued', async () => {
      const queue = (await admin.ask('get_queue', { limit: 20 })) as { items: Partial<RadioState>[] }
      return queue.items.some((item) => item.title === 'Night Swim' && item.orderType === 'lastinline')
    })
    await page.locator('.queue-row', { hasText: 'Night Swim' }).first().waitFor()
    const { page: listener } = await visit(t, `${url}/en/`)
    await listener.locator('.listen').click()
    await listener.locator('.horizon[data-sound=playing]').waitFor()
    await page.getByRole('button', { name: 'Skip the song' }).hover()
    await page.mouse.down()
    await page.locator('.strip-now', { hasText: 'Night Swim' }).waitFor()
    await page.mouse.up()
    await hears(listener, HZ)
    t.match(await admin.first<RadioState>('sync', ({ title }) => title === 'Night Swim'), {
      artist: 'Marta Kvit',
      orderType: 'lastinline',
    })
    const data = await station.openData()
    t.match(await data.lyrics.get(lyricsKey('Marta Kvit', 'Night Swim')), {
      synced: true,
      lines: [{ text: 'The water is warm' }, { text: 'The town is asleep' }],
    })
    await data.close()
  },
)
