import type { Page } from 'playwright-core'

/**
 * Turns, and stops the view transition at its beginning, so that its moments can be visited.
 * A browser that is short of breath may refuse one; then the page arrives once more.
 * @throws with its reason when the browser has refused three.
 */
export async function holdTurn(
  page: Page,
  turn: () => Promise<void>,
  arrive: () => Promise<void>,
): Promise<void> {
  for (let triesLeft = 2; ; triesLeft--) {
    await watchTurns(page)
    await turn()
    const outcome = await page.locator('html[data-turn]:not([data-turn=begun])').getAttribute('data-turn')
    if (outcome === 'held') return
    if (triesLeft === 0) throw new Error(outcome!)
    await arrive()
  }
}

/** Marks what becomes of each view transition: `begun`, then `held` at its first moment or why the browser refused it. */
export const watchTurns = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const start = document.startViewTransition.bind(document)
    const { dataset } = document.documentElement
    document.startViewTransition = (change) => {
      dataset.turn = 'begun'
      const transition = start(change)
      transition.ready.then(
        () => {
          for (const animation of document.getAnimations()) animation.pause()
          dataset.turn = 'held'
        },
        (reason) => {
          dataset.turn = String(reason)
        },
      )
      return transition
    }
  })
