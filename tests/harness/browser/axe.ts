import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Finds what axe objects to in what is shown now, one line per element: none is the only good answer. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the content security policy does not bind.
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    // Half faded in, no text has its contrast.
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY) animation.finish()
    const { axe: audit } = window as unknown as { axe: typeof axe }
    const { violations } = await audit.run(document, { resultTypes: ['violations'] })
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${help}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
    )
  })
}
