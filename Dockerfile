# syntax=docker/dockerfile:1
# One image for all processes of the station; docker-compose.yml says which one a container runs.

# The line with long-term support, so that each build with --pull has its repairs; `npm run test:node -- 24` tries it.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS manifests
WORKDIR /solstice
COPY package.json package-lock.json ./
COPY apps/api/package.json apps/api/
COPY apps/jobs/package.json apps/jobs/
COPY apps/stream-worker/package.json apps/stream-worker/
COPY apps/web/package.json apps/web/
COPY packages/adapters/package.json packages/adapters/
COPY packages/contracts/package.json packages/contracts/
COPY packages/demo-music/package.json packages/demo-music/
COPY packages/playout/package.json packages/playout/
COPY packages/station/package.json packages/station/

FROM manifests AS web
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund -w apps/web
COPY tsconfig.json ./
COPY packages packages
COPY apps/web apps/web
RUN npm run build -w @solstice/web

FROM manifests AS dependencies
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --include-workspace-root \
    -w apps/api -w apps/stream-worker -w apps/jobs

FROM dependencies AS programs
COPY tsconfig*.json ./
COPY packages packages
COPY apps/api apps/api
COPY apps/jobs apps/jobs
COPY apps/stream-worker apps/stream-worker
COPY scripts scripts
RUN node --import tsx scripts/build.ts

FROM ${NODE_IMAGE}
# Without a version: Debian keeps one for the life of a release, and repairs it.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ffmpeg \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /solstice
ENV NODE_ENV=production \
    DATA_DIR=/var/lib/solstice/data \
    MEDIA_DIR=/var/lib/solstice/media
RUN mkdir -p "$DATA_DIR" "$MEDIA_DIR" && chown -R node:node /var/lib/solstice
COPY --from=dependencies /solstice/node_modules node_modules
COPY package.json tsconfig*.json ./
COPY packages packages
COPY apps/api apps/api
COPY apps/jobs apps/jobs
COPY apps/stream-worker apps/stream-worker
COPY scripts scripts
COPY deploy/health.mjs deploy/
COPY --from=programs /solstice/.build/programs .build/programs
COPY --from=web /solstice/apps/web/dist apps/web/dist
USER node
EXPOSE 3001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "deploy/health.mjs"]
CMD ["sh", "scripts/run.sh", "apps/api/src/main.js"]
