/**
 * Tells the loader of lazy parts that the style sheets within the document are there. It looks for links, and would fetch
 * them again, behind the sheets that override them. A disabled link is never fetched.
 */
export function tellPlacedStyles(): void {
  for (const { dataset } of document.querySelectorAll<HTMLStyleElement>('style[data-href]')) {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.disabled = true
    link.href = dataset.href!
    document.head.append(link)
  }
}
