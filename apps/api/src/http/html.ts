/** Markup in which everything foreign has been escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | null | readonly Part[]

/** A template of markup: values are escaped for text and for quoted attributes, unless they are `Html` themselves. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((text, i) => text + (i < parts.length ? textOf(parts[i]!) : '')).join(''))
}

/** Markup that we made ourselves, such as a built file. */
export const ownMarkup = (text: string): Html => new Html(text)

/**
 * A value as JSON that scripts can read by the element's id. The type keeps browsers from running it, and no text in it can end
 * the element.
 */
export function jsonElement(value: unknown, about: { id?: string; type?: string } = {}): Html {
  const { id, type = 'application/json' } = about
  const json = JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return html`<script type="${type}"${id ? html` id="${id}"` : null}>${ownMarkup(json)}</script>`
}

function textOf(part: Part): string {
  if (part === null) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(textOf).join('')
  return escapeHtml(String(part))
}

/** A text as markup shows it, also in quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign]!)

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
