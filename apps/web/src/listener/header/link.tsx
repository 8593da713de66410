import type { LinkState } from '../../radio/connection/station-socket.ts'

/** The page's connection to the station. */
export function Link({ link, text }: { link: LinkState; text: string }) {
  return (
    <p class="link" data-link={link}>
      <span class="link-light" aria-hidden="true" />
      <span class="link-text" role="status">
        {text}
      </span>
    </p>
  )
}
