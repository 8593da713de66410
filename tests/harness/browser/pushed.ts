import type { SongNotification } from '@solstice/contracts'
import type { Page } from 'playwright-core'
import { inTime } from '../until.ts'

/** The notifications of a page after its browser got a message from the push service. */
export async function pushed(page: Page, message: SongNotification) {
  const developer = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    developer.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [own] = registrations
      if (own) resolve(own.registrationId)
    })
  })
  await developer.send('ServiceWorker.enable')
  const shown = await noticeOfShown(page, message.tag)
  const { origin } = new URL(page.url())
  const data = JSON.stringify(message)
  await developer.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await registered, data })
  await shown()
  await developer.detach()
  return page.evaluate(async () => {
    const all = await (await navigator.serviceWorker.ready).getNotifications()
    return all.map(({ title, body, tag }) => ({ title, body, tag }))
  })
}

/**
 * Resolves once a push would arrive: one for a worker that is not active yet is lost. The returned function resolves when the worker
 * has shown it. To ask for notifications until then would be a race: a browser forgets those that it is only about to show.
 */
async function noticeOfShown(page: Page, tag: string): Promise<() => Promise<void>> {
  const notice = await page.evaluateHandle(async (tag) => {
    const told = new Promise<void>((resolve) => {
      navigator.serviceWorker.addEventListener('message', ({ data }) => data?.told === tag && resolve())
    })
    const active = (await navigator.serviceWorker.ready).active!
    await new Promise<void>((resolve) => {
      const look = () => active.state === 'activated' && resolve()
      active.addEventListener('statechange', look)
      look()
    })
    return { told }
  }, tag)
  return () =>
    inTime(
      'the message is shown',
      notice.evaluate(({ told }) => told),
    )
}
