# docker build -t switchyard .                                  the command: docs/install.md
# docker build -t switchyard-service --target service .         the console service
FROM node:24-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --no-audit --no-fund && npm run build -- --no-types && npm prune --omit=dev --no-audit --no-fund \
  && find dist -name '*.map' -delete

FROM node:24-slim AS command
WORKDIR /opt/switchyard
COPY --from=build /build/package.json /build/pipeline.schema.json /build/report.schema.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
RUN ln -s /opt/switchyard/dist/switchyard.js /usr/local/bin/switchyard \
  && chmod 755 dist/switchyard.js && install -d -o node -g node /data
USER node
WORKDIR /data
ENTRYPOINT ["switchyard"]

FROM command AS service
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["serve", "--listen", "0.0.0.0:8080", "--data", "/data"]

# Last, as it is built without --target.
FROM command
