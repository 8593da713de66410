import './languages.css'
import { type Locale, locales } from '@solstice/contracts'
import { type PageName, pathOf } from './language.ts'

/** The choice between the languages of a page. */
export function Languages(props: {
  page: PageName
  locale: Locale
  label: string
  onLocale: (locale: Locale) => void
}) {
  const { page, locale, label, onLocale } = props
  return (
    <nav class="languages" aria-label={label}>
      {locales.map((other) => (
        <a
          key={other}
          href={pathOf({ page, locale: other })}
          hreflang={other}
          lang={other}
          aria-current={other === locale ? 'true' : undefined}
          onClick={(event) => {
            event.preventDefault()
            if (other !== locale) onLocale(other)
          }}
        >
          {other.toUpperCase()}
        </a>
      ))}
    </nav>
  )
}
