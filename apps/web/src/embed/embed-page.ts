import './embed-page.css'
import { defineSolsticePlayer } from './solstice-player.ts'

/** The player as a whole page, for frames on other sites: `?layout=compact|card&theme=day|night|auto&lang=uk|en`. */
function openEmbedPage(): void {
  defineSolsticePlayer()
  const asked = new URLSearchParams(location.search)
  const player = document.createElement('solstice-player')
  player.setAttribute('src', location.origin)
  player.setAttribute('lang', document.documentElement.lang)
  for (const name of ['layout', 'theme']) player.setAttribute(name, asked.get(name) ?? '')
  const heading = document.createElement('h1')
  heading.textContent = document.title
  const main = document.createElement('main')
  main.append(heading, player)
  document.getElementById('page')!.replaceChildren(main)
}

openEmbedPage()
